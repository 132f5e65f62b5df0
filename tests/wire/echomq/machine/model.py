"""EchoMQ's verbs in plain Python, written from sections 1 to 4 of the wire's description, drifts included."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from emqtop.wire.echomq.lanes import Reassigned
from emqtop.wire.echomq.lifecycle import Claim, Retried, Settled
from emqtop.wire.echomq.recovery import Swept
from emqtop.wire.echomq.refusals import JobLocked, StaleToken, WrongState
from tests.wire.echomq.machine.flow_model import FlowModel
from tests.wire.echomq.machine.keyspace import Near
from tests.wire.echomq.machine.rows import known


@dataclass(slots=True)
class QueueModel(FlowModel):
    """One queue of the model; raises the refusals that the real verbs raise."""

    # 4.1 Admission

    def enqueue(self, job: str, payload: bytes) -> bool:
        if self.there(job):
            return False
        self.fields(job).update(state="pending", attempts="0", payload=known(payload))
        self.space.zsets[self.key("pending")][job] = 0.0
        return True

    def schedule(self, job: str, payload: bytes, due: Near) -> bool:
        if self.there(job):
            return False
        self.fields(job).update(state="scheduled", attempts="0", payload=known(payload))
        self.space.score(self.key("schedule"), job, due)
        return True

    def enqueue_grouped(self, group: str, job: str, payload: bytes) -> bool:
        if self.there(job):
            return False
        self.fields(job).update(state="pending", attempts="0", payload=known(payload), group=group)
        self.space.zsets[self.lane(group)][job] = 0.0
        self.ring_in(group)
        return True

    # 4.2 Claim

    def paused(self) -> bool:
        return "paused" in self.space.hashes[self.key("meta")]

    def lease(self, job: str, lease_ms: int, group: str | None = None) -> Claim:
        token = self.space.count(self.row(job), "attempts")
        self.fields(job)["state"] = "active"
        self.space.score(self.key("active"), job, self.now.plus(lease_ms))
        payload = self.fields(job).get("payload")
        return Claim(job, None if payload is None else payload.encode("utf-8", "surrogateescape"), token, group)

    def claim(self, lease_ms: int) -> Claim | None:
        return next(iter(self.claim_batch(lease_ms, 1)), None)

    def claim_batch(self, lease_ms: int, size: int) -> list[Claim]:
        if self.paused():
            return []
        oldest = self.space.ordered(self.key("pending"))[:size]
        for job in oldest:
            self.space.remove(self.key("pending"), job)
        return [self.lease(job, lease_ms) for job in oldest]

    def serve(self, lease_ms: int, quota: Callable[[str, int], int]) -> list[Claim]:
        """The lane whose turn it is; quota gives how many of its jobs are wanted, by group and depth."""
        ring = self.space.lists[self.key("ring")]
        if self.paused() or not ring:
            return []
        group = ring.pop(0)
        ring.append(group)
        lane = self.lane(group)
        waiting = self.space.ordered(lane)
        take = min(quota(group, len(waiting)), len(waiting))
        if take <= 0:
            self.ring_out(group)
            return []
        for job in waiting[:take]:
            self.space.remove(lane, job)
        in_flight = self.space.count(self.key("gactive"), group, take)
        if not self.below_limit(group, in_flight) or not self.space.zsets[lane]:
            self.ring_out(group)
        return [self.lease(job, lease_ms, group) for job in waiting[:take]]

    def claim_lane(self, lease_ms: int) -> Claim | None:
        return next(iter(self.serve(lease_ms, lambda group, depth: 1)), None)

    def room(self, group: str) -> int:
        limit = self.space.hashes[self.key("glimit")].get(group)
        return 10**6 if limit is None else int(limit) - self.in_flight(group)

    def claim_lane_weighted(self, lease_ms: int) -> list[Claim]:
        weights = self.space.hashes[self.key("gweight")]
        return self.serve(lease_ms, lambda group, depth: min(int(weights.get(group, 1)), self.room(group)))

    def claim_lane_batch(self, lease_ms: int) -> list[Claim]:
        return self.serve(lease_ms, lambda group, depth: min(depth, self.room(group)))

    # 4.3 Settle

    def check(self, job: str, token: int) -> bool:
        """Does the token hold the job? False: it is gone."""
        attempts = self.fields(job).get("attempts")
        if attempts is None:
            return False
        if attempts != str(token):
            raise StaleToken("EMQSTALE")
        return True

    def leave(self, job: str) -> bool:
        was = self.space.remove(self.key("active"), job)
        group = self.fields(job).get("group")
        if group is None:
            if not was:
                self.space.remove(self.key("pending"), job)
        elif was:
            self.one_less(group)
            self.offer(group)
        else:
            self.space.remove(self.lane(group), job)
            if not self.space.zsets[self.lane(group)]:
                self.ring_out(group)
        return was

    def complete(self, job: str, token: int, result: bytes) -> Settled:
        if not self.check(job, token):
            return Settled.GONE
        was = self.leave(job)
        fields = self.fields(job)
        if was and "parent" in fields:
            self.tell_done(fields["parent"], fields.get("parent_queue", ""), job, known(result) or job)
        self.space.delete(self.row(job))
        self.space.count(self.key("metrics:completed"), "count")
        return Settled.DONE

    def retry(self, job: str, token: int, error: str, delay_ms: int, attempts: int) -> Retried:
        if not self.check(job, token):
            raise StaleToken("EMQSTALE job gone")
        self.leave(job)
        fields = self.fields(job)
        fields["last_error"] = error
        if token < attempts:
            fields["state"] = "scheduled"
            self.space.score(self.key("schedule"), job, self.now.plus(delay_ms))
            return Retried.SCHEDULED
        self.bury(job)
        if "parent" in fields:
            policy = "id" if fields.get("parent_policy") == "id" else "fp"
            self.tell_died(fields["parent"], fields.get("parent_queue", ""), policy, job, error)
        return Retried.DEAD

    def bury(self, job: str) -> None:
        self.fields(job)["state"] = "dead"
        self.space.zsets[self.key("dead")][job] = 0.0
        self.space.count(self.key("metrics:failed"), "count")

    def delay(self, job: str, token: int, due: Near) -> bool:
        if not self.check(job, token):
            return False
        self.space.remove(self.key("active"), job)
        self.fields(job)["state"] = "scheduled"
        self.space.score(self.key("schedule"), job, due)
        return True

    # 4.4 Recovery and release

    def past(self, part: str, limit: int) -> list[str]:
        scores = self.space.zsets[self.key(part)]
        return [job for job in self.space.ordered(self.key(part)) if scores[job] <= self.now.low][:limit]

    def ready_again(self, job: str) -> None:
        group = self.fields(job).get("group")
        if group is None:
            self.space.zsets[self.key("pending")][job] = 0.0
        else:
            self.space.zsets[self.lane(group)][job] = 0.0
            self.ring_in(group)
        self.fields(job)["state"] = "pending"

    def promote(self, batch: int) -> int:
        due = self.past("schedule", batch)
        for job in due:
            self.space.remove(self.key("schedule"), job)
            self.ready_again(job)
        return len(due)

    def take_back(self, jobs: Iterable[str]) -> int:
        taken = 0
        for job in jobs:
            self.space.remove(self.key("active"), job)
            if (group := self.fields(job).get("group")) is not None:
                self.one_less(group)
            self.ready_again(job)
            taken += 1
        return taken

    def reap(self) -> int:
        return self.take_back(self.past("active", 100))

    def reap_group(self, group: str, limit: int) -> int:
        return self.take_back([job for job in self.past("active", limit) if self.fields(job).get("group") == group])

    def sweep_stalled(self, most: int, limit: int) -> Swept:
        recovered, dead = [], []
        for job in self.past("active", limit):
            if self.space.count(self.row(job), "stalled") < most:
                self.take_back([job])
                recovered.append(job)
                continue
            self.space.remove(self.key("active"), job)
            if (group := self.fields(job).get("group")) is not None:
                self.one_less(group)
            self.fields(job)["last_error"] = "stalled"
            self.bury(job)
            dead.append(job)
        return Swept(tuple(recovered), tuple(dead))

    def extend(self, job: str, token: int, lease_ms: int) -> bool:
        if not self.check(job, token):
            return False
        self.space.score(self.key("active"), job, self.now.plus(lease_ms))
        return True

    def extend_many(self, held: list[tuple[str, int]], lease_ms: int) -> tuple[str, ...]:
        lost = [job for job, token in held if self.fields(job).get("attempts") != str(token)]
        for job, _ in held:
            if job not in lost:
                self.space.score(self.key("active"), job, self.now.plus(lease_ms))
        return tuple(lost)

    # 4.5 Queue operations

    def pause(self) -> None:
        self.space.hashes[self.key("meta")]["paused"] = "1"

    def resume(self) -> None:
        self.space.hashes[self.key("meta")].pop("paused", None)

    def forget(self, key: str, *parts: str) -> int:
        jobs = list(self.space.zsets[key])
        for job in jobs:
            self.space.delete(self.row(job), *(self.row(job, part) for part in parts))
        self.space.delete(key)
        return len(jobs)

    def drain(self, scheduled: bool) -> int:
        parts = ("pending", "schedule") if scheduled else ("pending",)
        return sum(self.forget(self.key(part), ":logs") for part in parts)

    def obliterate(self, force: bool) -> bool:
        if not self.paused() or (self.space.zsets[self.key("active")] and not force):
            raise WrongState("EMQSTATE")
        lanes = [*self.space.lists[self.key("ring")], *self.space.sets[self.key("paused")]]
        for part in ("active", "pending", "schedule", "dead"):
            self.forget(self.key(part), ":logs", ":lock")
        for group in lanes:
            self.forget(self.lane(group), ":logs", ":lock")
        for name in list(self.space.zsets[self.key("repeat")]):
            self.space.delete(self.key("repeat:" + name))
        gone = ("metrics:completed", "metrics:failed", "gactive", "glimit", "ring", "wake", "paused", "repeat", "meta")
        self.space.delete(*map(self.key, gone))
        return True

    # 4.6 Lane operations

    def pause_lane(self, group: str) -> None:
        self.space.sets[self.key("paused")].add(group)
        self.ring_out(group)

    def resume_lane(self, group: str) -> None:
        self.space.sets[self.key("paused")].discard(group)
        self.offer(group)

    def limit_lane(self, group: str, limit: int) -> None:
        self.space.hashes[self.key("glimit")][group] = str(limit)
        if self.in_flight(group) >= limit:
            self.ring_out(group)
        else:
            self.offer(group)

    def weigh_lane(self, group: str, weight: int) -> None:
        self.space.hashes[self.key("gweight")][group] = str(weight)

    def reassign(self, job: str, group: str) -> Reassigned:
        source = self.fields(job).get("group")
        if source is None:
            return Reassigned.NOT_FOUND
        if source == group:
            return Reassigned.ALREADY_THERE
        if not self.space.remove(self.lane(source), job):
            return Reassigned.NOT_WAITING
        self.space.zsets[self.lane(group)][job] = 0.0
        self.fields(job)["group"] = group
        self.ring_in(group)
        if not self.space.zsets[self.lane(source)]:
            self.ring_out(source)
        return Reassigned.MOVED

    def drain_lane(self, group: str) -> int:
        forgotten = self.forget(self.lane(group), ":logs")
        self.ring_out(group)
        return forgotten

    # 4.7 Job mutation

    def update_data(self, job: str, payload: bytes) -> bool:
        if not self.there(job):
            return False
        self.fields(job)["payload"] = known(payload)
        return True

    def update_progress(self, job: str, progress: str) -> bool:
        if not self.there(job):
            return False
        self.fields(job)["progress"] = progress
        return True

    def add_log(self, job: str, line: str, keep: int | None) -> int | None:
        if not self.there(job):
            return None
        lines = self.space.lists[self.row(job, ":logs")]
        lines.append(line)
        if keep:
            del lines[:-keep]
        return len(lines)

    def remove(self, job: str, dedup: str) -> bool:
        if not self.there(job):
            return False
        if self.space.exists(self.row(job, ":lock")) or "lock" in self.fields(job):
            raise JobLocked("EMQLOCK")
        for part in ("pending", "active", "schedule", "dead"):
            self.space.remove(self.key(part), job)
        if dedup and self.space.strings.get(self.key("de:" + dedup)) == job:
            self.space.delete(self.key("de:" + dedup))
        self.space.delete(self.row(job), self.row(job, ":logs"))
        return True

    def reprocess(self, job: str) -> bool:
        if not self.there(job):
            return False
        if not self.space.remove(self.key("dead"), job):
            raise WrongState("EMQSTATE")
        self.fields(job).pop("last_error", None)
        self.fields(job)["state"] = "pending"
        self.space.zsets[self.key("pending")][job] = 0.0
        return True

    # 4.8 Repeat

    def register_repeat(self, name: str, every_ms: int, template: bytes, first_ms: int) -> bool:
        if self.space.exists(self.key("repeat:" + name)):
            return False
        self.space.hashes[self.key("repeat:" + name)].update(every_ms=str(every_ms), template=known(template))
        self.space.zsets[self.key("repeat")][name] = float(first_ms)
        return True

    def cancel_repeat(self, name: str) -> bool:
        self.space.delete(self.key("repeat:" + name))
        return self.space.remove(self.key("repeat"), name)

    def fire_repeats(self, ids: list[str], now_ms: int) -> list[str]:
        runs = self.space.zsets[self.key("repeat")]
        due = [name for name in self.space.ordered(self.key("repeat")) if runs[name] <= now_ms]
        fresh = ids[: len(due)]
        for name, job in zip(due, fresh, strict=True):
            record = self.space.hashes[self.key("repeat:" + name)]
            self.enqueue(job, record["template"].encode("utf-8", "surrogateescape"))
            runs[name] = float(now_ms + int(record["every_ms"]))
        return fresh

    # 4.10 Lock plane

    def track(self, job: str, token: int) -> None:
        self.space.strings[self.row(job, ":lock")] = str(token)
        self.fields(job)["lock"] = str(token)

    def untrack(self, job: str) -> None:
        self.space.delete(self.row(job, ":lock"))
        self.fields(job).pop("lock", None)
