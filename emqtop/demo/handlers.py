"""What the workers of the demo workload do with a job: take their time, sometimes fail, tell how far they are."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

from emqtop.demo.assignment import Assignment
from emqtop.demo.mix import BROKEN, DECLINED
from emqtop.demo.queues import USUAL_RATE, Role, tenants
from emqtop.wire.echomq.flows import children_results, ignored_failures
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lifecycle import Claim
from emqtop.wire.echomq.mutation import add_log, update_progress
from emqtop.wire.link import Link
from emqtop.wire.resp import Conversation, ask_all, pack

_KEEP_S = 600
"""EchoMQ leaves what a parent was told, and logs, when their job is done; a demo that runs for days must not."""
_SLOW_STEPS = 10
_LAST = 3
"""Attempt from which on bad luck spares a job: only those die whose number the producer keeps an eye on."""


class JobFailed(Exception):
    """The job's own error."""


class Handlers:
    """The handlers of all queues.

    Args:
        assignment: what is to be done.
        link: for what a handler has to tell or to read.
    """

    def __init__(self, assignment: Assignment, link: Link) -> None:
        self._assignment = assignment
        self._link = link
        self._haste = min(1.0, USUAL_RATE / max(assignment.rate, 1.0))
        self._closing = asyncio.Event()
        self._slowness = {each.name: each.slowness for each in tenants(assignment.seed)}
        self._steps: dict[str, Callable[[QueueKeys, Claim, dict[str, Any], Random], Awaitable[None]]] = {
            "orders": self._gather,
            "thumbnails": self._draw,
            "payments": self._charge,
            "reports": self._report,
            "emails": self._send,
        }

    def of(self, role: Role, keys: QueueKeys) -> Callable[[Claim], Awaitable[bytes]]:
        """The handler of a queue."""

        async def handle(job: Claim) -> bytes:
            fields = _fields(job)
            dice = Random(f"{self._assignment.seed}:{job.payload!r}:{job.token}")
            low, high = role.work_ms
            slowness = self._slowness.get(str(fields.get("tenant")), 1.0)
            await self._take(low * (high / low) ** dice.random() * slowness * self._haste)
            if (step := self._steps.get(role.name)) is not None:
                await step(keys, job, fields, dice)
            return json.dumps({"by": "demo", "attempt": job.token}).encode()

        return handle

    def hurry(self) -> None:
        """Let jobs take no more time from now on."""
        self._closing.set()

    async def _take(self, ms: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ms / 1000):
                await self._closing.wait()

    async def _send(self, _keys: QueueKeys, job: Claim, fields: dict[str, Any], dice: Random) -> None:
        if dice.random() < 0.02 and job.token < _LAST:
            raise JobFailed(f"421 4.7.0 try again later: {fields.get('to')} (session {dice.getrandbits(32):08x})")

    async def _charge(self, _keys: QueueKeys, job: Claim, fields: dict[str, Any], dice: Random) -> None:
        charge, order = fields.get("charge"), fields.get("order")
        if isinstance(card := fields.get("card"), dict) and card.get("last4") == DECLINED:
            if int(order or 0) % 3:
                raise JobFailed(f"card declined: insufficient_funds (charge {charge}, order {order})")
            raise JobFailed(f"KeyError: 'iban' in mandate {dice.randint(1000, 9999)} of order {order}")
        if job.token >= _LAST:
            return
        if (luck := dice.random()) < 0.10:
            ms = dice.randint(3_000, 3_400)
            raise JobFailed(f"gateway timeout after {ms} ms: POST https://pay.example/v1/charges/{charge}")
        if luck < 0.14:
            raise JobFailed(f"connection reset by 10.0.3.{dice.randint(2, 254)}:443")

    async def _draw(self, keys: QueueKeys, job: Claim, fields: dict[str, Any], dice: Random) -> None:
        image = str(fields.get("image", ""))
        if image.endswith(BROKEN):
            raise JobFailed(f"UnidentifiedImageError: cannot identify image file '{image}'")
        if "album" in fields:
            await self._gather(keys, job, fields, dice)

    async def _gather(self, keys: QueueKeys, job: Claim, _fields: dict[str, Any], _dice: Random) -> None:
        """A parent reads what its children gave, and lets that run out."""
        await self._link.run(children_results(keys, job.id))
        await self._link.run(ignored_failures(keys, job.id))
        await self._link.run(_run_out(keys, job.id, "dependencies", "processed", "failed", "unsuccessful"))

    async def _report(self, keys: QueueKeys, job: Claim, fields: dict[str, Any], dice: Random) -> None:
        if fields.get("report") != "year-end":
            return
        rows = dice.randint(20_000, 900_000)
        step_ms = dice.randint(4_000, 8_000) / _SLOW_STEPS
        for step in range(1, _SLOW_STEPS + 1):
            # As slow at any rate: it is here to outlive its lease several times.
            await self._take(step_ms)
            await self._link.run(update_progress(keys, job.id, str(step * 100 // _SLOW_STEPS)))
            line = f"step {step} of {_SLOW_STEPS}: {rows * step // _SLOW_STEPS} rows read"
            await self._link.run(add_log(keys, job.id, line))
        await self._link.run(_run_out(keys, job.id, "logs"))


def _fields(job: Claim) -> dict[str, Any]:
    try:
        fields = json.loads(job.payload or b"")
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _run_out(keys: QueueKeys, job: str, *parts: str) -> Conversation[None]:
    yield from ask_all([pack("EXPIRE", keys.sub(job, part), _KEEP_S) for part in parts], keys.base)
