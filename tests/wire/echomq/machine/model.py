"""EchoMQ's verbs in plain Python, written from sections 1 to 4 of the wire's description, drifts included."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from emqtop.wire.echomq.flows import Node
from emqtop.wire.echomq.lanes import Reassigned
from emqtop.wire.echomq.lifecycle import Claim, Retried, Settled
from emqtop.wire.echomq.recovery import Swept
from emqtop.wire.echomq.refusals import JobLocked, StaleToken, WrongState
from tests.wire.echomq.machine.keyspace import Keyspace, Near


@dataclass(frozen=True, slots=True)
class Span:
    """The server's clock just before and just after a verb, ms."""

    low: int
    high: int

    def plus(self, ms: int) -> Near:
        """Where `now + ms` must lie."""
        return Near(self.low + ms, self.high + ms)


def known(text: bytes | None) -> str:
    """Bytes as the model keeps them."""
    return (text or b"").decode("utf-8", "surrogateescape")


@dataclass(slots=True)
class QueueModel:
    """One queue of the model; raises the refusals that the real verbs raise."""

    space: Keyspace
    name: str
    now: Span

    @property
    def base(self) -> str:
        return f"emq:{{{self.name}}}:"

    def key(self, part: str) -> str:
        return self.base + part

    def row(self, job: str, part: str = "") -> str:
        return self.base + "job:" + job + part

    def lane(self, group: str) -> str:
        return f"{self.base}g:{group}:pending"

    def fields(self, job: str) -> dict[str, str]:
        return self.space.hashes[self.row(job)]

    def there(self, job: str) -> bool:
        return self.space.exists(self.row(job))

    # Lanes

    def in_flight(self, group: str) -> int:
        return int(self.space.hashes[self.key("gactive")].get(group, 0))

    def below_limit(self, group: str, in_flight: int) -> bool:
        limit = self.space.hashes[self.key("glimit")].get(group)
        return limit is None or in_flight < int(limit)

    def ring_in(self, group: str) -> None:
        ring, wake = self.space.lists[self.key("ring")], self.space.lists[self.key("wake")]
        if group in self.space.sets[self.key("paused")] or group in ring:
            return
        if self.below_limit(group, self.in_flight(group)):
            ring.append(group)
            wake.insert(0, "1")
            del wake[64:]

    def ring_out(self, group: str) -> None:
        ring = self.space.lists[self.key("ring")]
        ring[:] = [other for other in ring if other != group]

    def one_less(self, group: str) -> None:
        if self.space.count(self.key("gactive"), group, -1) <= 0:
            del self.space.hashes[self.key("gactive")][group]

    def offer(self, group: str) -> None:
        if self.space.zsets[self.lane(group)]:
            self.ring_in(group)

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

    # 4.9 Flows

    def hold(self, node: Node) -> None:
        self.fields(node.id).update(state="awaiting_children", attempts="0", payload=known(node.payload))
        self.space.delete(self.row(node.id, ":dependencies"))
        self.space.strings[self.row(node.id, ":dependencies")] = str(len(node.children))

    def link(self, node: Node, parent: Node, parent_queue: str) -> None:
        self.fields(node.id).update(parent=parent.id, parent_policy=node.policy)
        if parent_queue != self.name:
            self.fields(node.id)["parent_queue"] = parent_queue

    def add_flow(self, root: Node) -> None:
        """A node and all below it; only links of children are written here."""
        self.hold(root)
        for child in root.children:
            queue = replace(self, name=child.queue or self.name)
            if child.children:
                queue.add_flow(child)
            else:
                queue.fields(child.id).update(state="pending", attempts="0", payload=known(child.payload))
                self.space.zsets[queue.key("pending")][child.id] = 0.0
            queue.link(child, root, self.name)

    def count_down(self, parent: str) -> None:
        key = self.row(parent, ":dependencies")
        left = int(self.space.strings.get(key, "0")) - 1
        self.space.strings[key] = str(left)
        if left <= 0:
            self.space.zsets[self.key("pending")][parent] = 0.0
            self.fields(parent)["state"] = "pending"

    def kill_parent(self, parent: str, error: str) -> None:
        fields = self.fields(parent)
        fresh = fields.get("state") != "dead"
        fields["state"] = "dead"
        self.space.zsets[self.key("dead")][parent] = 0.0
        self.space.remove(self.key("pending"), parent)
        if fresh and "parent" in fields:
            policy = "id" if fields.get("parent_policy") == "id" else "fp"
            self.emit("", "fail", fields.get("parent_queue", self.name), fields["parent"], parent, policy, error)

    def emit(self, *fields: str) -> None:
        self.space.lists[self.key("flow:outbox")].append("\0".join(fields))

    def tell_done(self, parent: str, parent_queue: str, child: str, result: str) -> None:
        if parent_queue:
            self.emit(parent_queue, parent, child, result)
            return
        self.space.hashes[self.row(parent, ":processed")][child] = result
        self.count_down(parent)

    def tell_died(self, parent: str, parent_queue: str, policy: str, child: str, error: str) -> None:
        if parent_queue:
            self.emit("", "fail", parent_queue, parent, child, policy, error)
        elif policy == "id":
            self.space.hashes[self.row(parent, ":unsuccessful")][child] = error
            self.count_down(parent)
        else:
            self.space.hashes[self.row(parent, ":failed")][child] = error
            self.kill_parent(parent, error)

    def sweep_outbox(self) -> int:
        entries = list(self.space.lists[self.key("flow:outbox")])
        for entry in entries:
            self.deliver(entry)
        del self.space.lists[self.key("flow:outbox")][: len(entries)]
        return len(entries)

    def deliver(self, entry: str) -> None:
        if entry.startswith("\0fail\0"):
            _, _, queue, parent, child, policy, error = entry.split("\0", 6)
        else:
            queue, parent, child, error = entry.split("\0", 3)
            policy = "done"
        home = replace(self, name=queue)
        told = {"done": ":processed", "fp": ":failed", "id": ":unsuccessful"}[policy]
        record = self.space.hashes[home.row(parent, told)]
        if child in record:
            return
        record[child] = error
        if policy == "fp":
            home.kill_parent(parent, error)
        else:
            home.count_down(parent)

    # 4.10 Lock plane

    def track(self, job: str, token: int) -> None:
        self.space.strings[self.row(job, ":lock")] = str(token)
        self.fields(job)["lock"] = str(token)

    def untrack(self, job: str) -> None:
        self.space.delete(self.row(job, ":lock"))
        self.fields(job).pop("lock", None)
