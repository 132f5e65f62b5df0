"""Producers and workers of the PyPI package bullmq, driven by JSON lines: python rig_pypi.py URL."""

import asyncio
import json
import sys
from typing import Any

from bullmq import FlowProducer, Queue, Worker

STATES = ("waiting", "active", "delayed", "prioritized", "completed", "failed", "paused", "waiting-children")


class Rig:
    """One process's queues and workers."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._queues: dict[str, Queue] = {}
        self._workers: list[Worker] = []
        self._ended: list[dict[str, Any]] = []
        self._held = asyncio.Event()

    async def run(self, op: str, args: dict[str, Any]) -> Any:
        return await getattr(self, op)(**args)

    async def add(self, name: str = "job", data: Any = None, opts: Any = None, **where: str) -> Any:
        return (await self._queue(**where).add(name, data or {}, opts or {})).id

    async def add_bulk(self, jobs: list[dict[str, Any]], **where: str) -> Any:
        made = await self._queue(**where).addBulk([{"name": "job", "data": {}, "opts": {}, **job} for job in jobs])
        return [job.id for job in made]

    async def flow(self, prefix: str, flow: dict[str, Any]) -> Any:
        producer = FlowProducer(self._url, {"prefix": prefix})
        made = await producer.add(flow, {})
        await producer.close()
        return made["job"].id

    async def counts(self, **where: str) -> Any:
        return await self._queue(**where).getJobCounts(*STATES)

    async def pause(self, **where: str) -> None:
        await self._queue(**where).pause()

    async def resume(self, **where: str) -> None:
        await self._queue(**where).resume()

    async def work(self, prefix: str, queue: str, opts: dict[str, Any] | None = None) -> None:
        options = {"prefix": prefix, "connection": self._url, **(opts or {})}
        worker = Worker(queue, self._process, options)
        worker.on("completed", lambda job, *_: self._note(job, "completed"))
        worker.on("failed", lambda job, *_: self._note(job, "failed"))
        worker.on("error", lambda *error: self._ended.append({"id": None, "event": "error", "text": str(error)}))
        self._workers.append(worker)

    async def release(self) -> None:
        self._held.set()
        self._held = asyncio.Event()

    async def ended(self) -> Any:
        told, self._ended = self._ended, []
        return told

    async def _process(self, job: Any, _token: str) -> Any:
        self._note(job, "started")
        if job.data.get("hang"):
            await self._held.wait()
        if job.data.get("fail"):
            raise RuntimeError(job.data["fail"])
        return {"ran": job.id}

    def _note(self, job: Any, event: str) -> None:
        self._ended.append({"id": job.id if job else None, "event": event})

    def _queue(self, prefix: str, queue: str) -> Queue:
        key = f"{prefix}:{queue}"
        if key not in self._queues:
            self._queues[key] = Queue(queue, {"prefix": prefix, "connection": self._url})
        return self._queues[key]


async def main() -> None:
    rig, loop = Rig(sys.argv[1]), asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        op = asked.pop("op")
        try:
            answer = {"value": await rig.run(op, asked)}
        except Exception as error:
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)


asyncio.run(main())
