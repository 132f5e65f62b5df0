"""Events that the host publishes after a verb, for whoever listens at the moment (echomq.md 5)."""

import json

from emqtop.wire.echomq.branded_id import job_id
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.replies import count
from emqtop.wire.resp import Conversation, ask_one


def announce(keys: QueueKeys, event: str, job: str, **extra: str) -> Conversation[int]:
    """Publish an event of a job: `completed`, `failed`, `delayed` or an application's own; the number of listeners.

    Raises:
        BadId: not the id of a job; nothing was sent.
    """
    told = json.dumps({"event": event, "job": job_id(job), **extra})
    listeners = yield from ask_one("PUBLISH", keys.events, told, key=keys.events)
    return count(listeners)
