"""The list of acts: what it tells, and taking one back."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.entry import Entry, result
from emqtop.acting.journal import Journal
from emqtop.acting.tally import Progress
from emqtop.acting.undo import NotUndoable
from emqtop.model.actions import Order, Outcome, Reason, Skip, Verb
from emqtop.present.audit_columns import AuditRow
from emqtop.settings import ServerLabel, Settings
from emqtop.ui.ledger import Book
from emqtop.ui.screens.ask import AskScreen
from emqtop.ui.screens.audit import AuditScreen
from emqtop.wire.errors import Unreachable
from tests.conftest import Hand
from tests.corpus import HOSTILE, unsafe
from tests.ui.scenes import MAILS, ORDERS, job_id
from tests.ui.stage import Stage, stage

DONE = result(Outcome(Verb.REMOVE, ORDERS, matched=1, moved=1), [job_id(1)])
_LEFT = (Skip(job_id(2), Reason.MOVED, "moved to active"),)
HALF = result(Outcome(Verb.REMOVE, ORDERS, matched=2, moved=1, skipped=_LEFT), [job_id(1)])


def entry(number: int, verb: Verb = Verb.REMOVE, **rest: object) -> Entry:
    fields: dict[str, object] = {
        "at": f"2026-11-29T15:00:0{number}.000+00:00", "who": "kim@box", "server": "redis://h:1", "queue": ORDERS,
        "ids": (job_id(number),), "count": 1, "undoable": True, "ended": "x", "result": DONE,
    }  # fmt: skip
    return Entry(id=f"2026-{number}", verb=verb, **{**fields, **rest})  # type: ignore[arg-type]


@dataclass
class MemoryLedger:
    """Acts in memory."""

    acts: tuple[AuditRow, ...] = ()
    may_undo: bool = True
    fault: Exception | None = None
    is_long: bool = False
    undone: list[str] = field(default_factory=list)

    async def rows(self) -> tuple[AuditRow, ...] | None:
        return self.acts

    async def undo(self, entry: Entry, *, stop: asyncio.Event, on_progress: Callable[[Progress], None]) -> Outcome:
        if self.fault is not None:
            raise self.fault
        self.undone.append(entry.id)
        if self.is_long:
            on_progress(Progress(25, 9425, 25, 0, 0, 0, None))
            await stop.wait()
            return Outcome(Verb.UNDO, entry.queue, matched=9425, moved=50, stopped=True)
        return Outcome(Verb.UNDO, entry.queue, matched=1, moved=1)


def ledger() -> MemoryLedger:
    return MemoryLedger(
        (
            AuditRow(entry(1), True),
            AuditRow(entry(2, Verb.REAP, undoable=False, queue=MAILS, result=HALF, ids=(), count=2)),
            AuditRow(entry(3, Verb.REQUEUE, ended=None, result=None), True),
        )
    )


async def open_audit(held: Stage) -> None:
    await held.press("A")
    await held.sample()


async def test_the_question_tells_what_moved_and_on_which_server() -> None:
    half = AuditRow(entry(1, Verb.REMOVE, ids=(job_id(1), job_id(2)), count=2, result=HALF), True)
    wishes = Settings(servers=(ServerLabel("*127.0.0.1*", "PRODUCTION", "#aa0000"),))
    async with stage((100, 24), ledger=MemoryLedger((half,)), settings=wishes) as held:
        await open_audit(held)
        await held.press("u")
        assert "Take back: remove of 1 job?" in held.text()
        assert job_id(1) in held.text()
        assert job_id(2) not in held.text()
        assert "more" not in held.text()
        assert sum(" PRODUCTION " in line for line in held.text().splitlines()) == 2


async def test_a_window_too_small_for_the_question_says_so() -> None:
    async with stage((40, 8), ledger=ledger()) as held:
        await open_audit(held)
        await held.press("G", "u", "y")
        assert "this window is too small to ask" in held.text()
        assert isinstance(held.app.screen, AskScreen)


async def test_newest_first_and_what_never_ended_stands_out() -> None:
    async with stage((105, 9), ledger=ledger()) as held:
        await open_audit(held)
        assert held.text().splitlines()[1:5] == [
            "  S WHEN                WHO        ACT         QUEUE        JOBS           MOVED",
            "❯ ? 2026-11-29 15:00:03 kim@box    requeue     orders       JOB00000000003 begun, its end was not writt…",
            "    2026-11-29 15:00:02 kim@box    reap        mails        2 jobs         1 of 2, 1 moved on",
            "  u 2026-11-29 15:00:01 kim@box    remove      orders       JOB00000000001 1 of 1",
        ]
        assert "1 without an end  3 acts" in held.status


async def test_an_act_on_a_whole_queue_names_no_jobs() -> None:
    held_back = result(Outcome(Verb.PAUSE, ORDERS, matched=1, moved=1))
    whole = entry(1, Verb.PAUSE, ids=(), count=0, selection="the queue", result=held_back, undoable=False)
    async with stage((105, 9), ledger=MemoryLedger((AuditRow(whole),))) as held:
        await open_audit(held)
        row = held.text().splitlines()[2]
        assert row == "❯   2026-11-29 15:00:01 kim@box    pause       orders       the queue      done"


async def test_an_act_is_taken_back_after_a_question() -> None:
    book = ledger()
    async with stage((100, 24), ledger=book) as held:
        await open_audit(held)
        await held.press("G", "u")
        assert isinstance(held.app.screen, AskScreen)
        assert "Take back: remove of 1 job?" in held.text()
        await held.press("enter")
        assert book.undone == []
        await held.press("u", "y")
        assert book.undone == ["2026-1"]
        assert "undo: 1 job put back" in held.status


@pytest.mark.parametrize("key", ["u", "escape"])
async def test_taking_back_many_jobs_shows_progress_and_stops(key: str) -> None:
    book = ledger()
    book.is_long = True
    async with stage((100, 24), ledger=book) as held:
        await open_audit(held)
        await held.press("G", "u", "y")
        assert "taking it back: 25 of 9 425 jobs; u or Esc stops" in held.status
        await held.press(key)
        assert "undo: 50 jobs put back, stopped" in held.status
        assert isinstance(held.app.screen, AuditScreen)


async def test_what_left_nothing_is_not_offered() -> None:
    async with stage((100, 24), ledger=ledger()) as held:
        await open_audit(held)
        await held.press("down", "u")
        assert not isinstance(held.app.screen, AskScreen)
        assert "nothing of this act can be taken back" in held.status


async def test_who_may_only_look_takes_nothing_back() -> None:
    book = ledger()
    book.may_undo = False
    async with stage((100, 24), ledger=book) as held:
        await open_audit(held)
        await held.press("u")
        assert "read-only" in held.status


@pytest.mark.parametrize(
    "fault", [NotUndoable("it was taken back already"), Unreachable("refused"), OSError("no space")]
)
async def test_a_refusal_is_told(fault: Exception) -> None:
    book = ledger()
    book.fault = fault
    async with stage((100, 24), ledger=book) as held:
        await open_audit(held)
        await held.press("u", "y")
        assert str(fault) in held.status


async def test_without_a_ledger_it_says_so() -> None:
    async with stage((100, 24)) as held:
        await held.press("A")
        assert "nothing is written down" in held.text()


async def test_a_small_window_refuses_to_ask() -> None:
    async with stage((30, 8), ledger=ledger()) as held:
        await open_audit(held)
        await held.press("u")
        assert "(y)" not in held.text()
        await held.press("y")
        assert isinstance(held.app.screen, AskScreen)


async def test_hostile_entries() -> None:
    texts = [value.decode("utf-8", "surrogateescape") for value in HOSTILE.values()]
    acts = tuple(
        AuditRow(entry(1, who=text, server=text, ids=(text,), at=text, selection=text), True) for text in texts
    )
    async with stage((120, 60), ledger=MemoryLedger(acts)) as held:
        await open_audit(held)
        for _ in range(2):
            for strip in held.strips():
                assert not unsafe(strip.text)
                assert strip.cell_length == 120
            await held.press("u")


async def test_the_book_reads_the_file_only_when_it_changed(tmp_path: Path, valkey: Hand) -> None:
    audit = Audit("redis://h:1", tmp_path)
    book = Book(audit, valkey.link, read_only=True)  # type: ignore[arg-type]
    assert await book.rows() == ()
    assert await book.rows() is None
    name = audit.begin(Order(Verb.REMOVE, ORDERS), (job_id(1),), count=1, undoable=True)
    Journal(tmp_path, name).keep([{"id": job_id(1)}])
    rows = await book.rows()
    assert rows is not None
    assert [(row.entry.id, row.undoable) for row in rows] == [(name, True)]
    audit.end(name, Outcome(Verb.REMOVE, ORDERS, matched=1))
    rows = await book.rows()
    assert rows is not None
    assert [row.undoable for row in rows] == [False]


async def test_the_book_takes_nothing_back_on_another_server(tmp_path: Path, valkey: Hand) -> None:
    there = Audit("redis://there:1", tmp_path)
    name = there.begin(Order(Verb.REMOVE, ORDERS), (job_id(1),), count=1, undoable=True)
    Journal(tmp_path, name).keep([{"id": job_id(1)}])
    book = Book(Audit("redis://here:1", tmp_path), valkey.link)  # type: ignore[arg-type]
    rows = await book.rows()
    assert rows is not None
    assert not rows[0].undoable
    with pytest.raises(NotUndoable, match="there"):
        await book.undo(rows[0].entry, stop=asyncio.Event(), on_progress=lambda _: None)
