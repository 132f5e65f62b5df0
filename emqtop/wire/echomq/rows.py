"""The rows of a page: small fields and sizes, and whether the queue's places agree about each job (echomq.md 3, 10.1).

Large values stay on the server: a payload is measured, and read only on request and up to 64 kB.
"""

from dataclasses import dataclass, field

from emqtop.wire.echomq.branded_id import minted_ms
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.locations import SETS, STATE_OF
from emqtop.wire.echomq.members import Member
from emqtop.wire.moment import at_one_moment
from emqtop.wire.readings import JobReading
from emqtop.wire.replies import blob, count, items, whole
from emqtop.wire.resp import Conversation, Reply, ReplyError, ask_all, pack, text

LARGE_BYTES = 65_536
"""A value above this is not read by itself, since a hash field can only be read whole."""

PREVIEW_BYTES = 256
"""How much of a payload stands on the line of a job."""

ERROR_BYTES = 4_096
"""How much of an error is kept."""

_HELD = STATE_OF["held"]
_FIELDS = ("state", "attempts", "group", "last_error")


@dataclass(slots=True)
class Finding:
    """What is known of one row so far."""

    member: Member
    """Whose row."""
    state: bytes | None = None
    """Field `state`."""
    attempts: int | None = None
    """The fencing token."""
    group: bytes | None = None
    """Field `group`."""
    last_error: bytes | None = None
    """Its last failure, cut."""
    size: int = 0
    """Bytes of the payload; 0 for a missing one too."""
    has_row: bool = True
    """Is there a row at all?"""
    has_payload: bool = True
    """Is there a payload, be it empty?"""
    payload: bytes | None = None
    """Its first part, where asked for."""
    is_elsewhere: bool = False
    """Had it left the location by the second look, so that nothing odd can be said of it there?"""
    places: set[str] = field(default_factory=set)
    """Which of the four sets hold the id; `lane` for a lane that its row names and it was not found in already."""

    def reading(self, location: str | None) -> JobReading:
        """The line of a job that was found at a location; None: nowhere."""
        return JobReading(
            id=self.member.id,
            state=self.state,
            attempts=self.attempts,
            minted_ms=minted_ms(text(self.member.id)),
            deadline_ms=self.member.score_ms if location == "active" else None,
            due_ms=self.member.score_ms if location == "schedule" else None,
            group=self.member.lane or self.group,
            last_error=self.last_error,
            payload_bytes=self.size if self.has_row and self.has_payload else None,
            payload=self.payload,
            odd=tuple(self.odd(location)),
        )

    def odd(self, location: str | None) -> list[str]:
        """What is wrong with it, as far as is known."""
        odd: list[str] = []
        if self.is_elsewhere:
            return odd
        if not self.has_row:
            odd.append("no-row")
        elif not self.has_payload:
            odd.append("no-payload")
        strays = self.member.lane is not None and self.has_row and self.group != self.member.lane
        if strays or (self.has_row and self.state != STATE_OF.get(location or "")):
            odd.append("state-differs")
        if self.places - ({location} if self.member.lane is None else set()):
            odd.append("second-location")
        return odd


def read_rows(
    keys: QueueKeys, location: str, members: tuple[Member, ...], payload_bytes: int = 0
) -> Conversation[tuple[JobReading, ...]]:
    """The lines of some members of one location.

    One round trip; a second for what only the first can tell: the lane that a row names, whether an empty payload is
    there, and the payloads themselves where `payload_bytes` (how much of each) is not 0. One more where something seems
    odd: a job that moves between the looks seems so too, and only what holds at one moment is said.
    """
    if not members:
        return ()
    findings = [Finding(member) for member in members]
    own = () if any(member.lane for member in members) else (location,)
    yield from _look(keys, findings, [name for name in SETS if name not in own])
    yield from _look_closer(keys, findings, payload_bytes)
    yield from look_again(keys, location, [finding for finding in findings if finding.odd(location)])
    return tuple(finding.reading(location) for finding in findings)


def _look(keys: QueueKeys, findings: list[Finding], others: list[str]) -> Conversation[None]:
    ids = [finding.member.id for finding in findings]
    commands = [pack("ZMSCORE", keys.part(name), *ids) for name in others]
    for row in map(keys.found_row, ids):
        commands += [pack("HMGET", row, *_FIELDS), pack("HSTRLEN", row, "payload")]
    replies = yield from ask_all(commands, keys.base)
    for name, scores in zip(others, replies, strict=False):
        for finding, score in zip(findings, items(scores), strict=False):
            if score is not None:
                finding.places.add(name)
    rows = replies[len(others) :]
    for finding, values, size in zip(findings, rows[::2], rows[1::2], strict=True):
        _take_fields(finding, items(values))
        finding.size = count(size)


def _take_fields(finding: Finding, values: list[Reply]) -> None:
    """Note the values of state, attempts, group and last_error."""
    state, attempts, group, error = values or (None,) * len(_FIELDS)
    finding.state, finding.attempts, finding.group = blob(state), whole(attempts), blob(group)
    last_error = blob(error)
    finding.last_error = None if last_error is None else last_error[:ERROR_BYTES]


def _look_closer(keys: QueueKeys, findings: list[Finding], payload_bytes: int) -> Conversation[None]:
    commands: list[bytes] = []
    notes: list[tuple[str, Finding]] = []
    for finding in findings:
        member, row, group = finding.member, keys.found_row(finding.member.id), finding.group
        if finding.size == 0:
            commands += [pack("EXISTS", row), pack("HEXISTS", row, "payload")]
            notes += [("row", finding), ("payload", finding)]
        elif payload_bytes and finding.size <= LARGE_BYTES:
            commands.append(pack("HGET", row, "payload"))
            notes.append(("value", finding))
        if group is not None and group != member.lane:
            commands.append(pack("ZSCORE", keys.found_lane(group), member.id))
            notes.append(("lane", finding))
    replies = yield from ask_all(commands, keys.base)
    for (what, finding), reply in zip(notes, replies, strict=True):
        _note(finding, what, reply, payload_bytes)


def look_again(keys: QueueKeys, location: str, odd: list[Finding]) -> Conversation[None]:
    """Look at the whole of each job that seems odd at one moment, and note what is so there."""
    replies = yield from at_one_moment([_whole_look(keys, finding) for finding in odd], keys.base)
    for finding, told in zip(odd, replies, strict=True):
        if told is not None:
            _take_whole(finding, location, told)


def _whole_look(keys: QueueKeys, finding: Finding) -> list[bytes]:
    member, row = finding.member, keys.found_row(finding.member.id)
    lanes = [lane for lane in (member.lane, finding.group) if lane is not None]
    return [
        *(pack("ZSCORE", keys.part(name), member.id) for name in SETS),
        pack("HMGET", row, *_FIELDS),
        pack("EXISTS", row),
        pack("HEXISTS", row, "payload"),
        *(pack("ZSCORE", keys.found_lane(lane), member.id) for lane in lanes),
    ]


def _take_whole(finding: Finding, location: str, told: list[Reply]) -> None:
    """Note what one moment tells of a job; a reply that is an error tells nothing and leaves the rest as it was."""
    if any(isinstance(reply, ReplyError) for reply in told):
        return
    scores, (values, row, payload, *lanes) = told[: len(SETS)], told[len(SETS) :]
    lane, group = finding.member.lane, finding.group
    there = {name for name, score in zip(SETS, scores, strict=True) if score is not None}
    in_own_lane = lane is not None and lanes[0] is not None
    in_named_lane = group is not None and group != lane and lanes[-1] is not None
    _take_fields(finding, items(values))
    finding.has_row, finding.has_payload = whole(row) == 1, whole(payload) == 1
    if lane is not None:
        finding.is_elsewhere = not in_own_lane
    elif location in SETS:
        finding.is_elsewhere = location not in there
    else:
        finding.is_elsewhere = bool(there) or in_named_lane or (finding.state == _HELD) != (location == "held")
    finding.places = there - ({location} if lane is None else set())
    if in_named_lane and finding.group == group:
        finding.places.add("lane")


def _note(finding: Finding, what: str, reply: Reply, payload_bytes: int) -> None:
    match what:
        case "row":
            finding.has_row = whole(reply) != 0
        case "payload":
            finding.has_payload = whole(reply) == 1
        case "value":
            value = blob(reply)
            finding.payload = None if value is None else value[:payload_bytes]
        case "lane" if blob(reply) is not None or isinstance(reply, float):
            finding.places.add("lane")
