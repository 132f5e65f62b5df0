"""What the status line says is so: numbers, marks, and what is not known yet."""

from dataclasses import replace

import pytest

from emqtop.cli.demo import HINTS
from emqtop.model.actions import Outcome, Reason, Skip, Verb
from emqtop.model.job import Job
from emqtop.model.queue import Family, Location, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.sampling.memory import MemorySource, Shelf
from emqtop.settings import Settings
from emqtop.text import cells
from emqtop.ui.keymap import Keymap
from emqtop.ui.verdict import headline
from tests.ui.scenes import MAILS, ORDERS, job_id
from tests.ui.stage import stage


class Searching(MemorySource):
    """A server whose keyspace has not been looked through yet."""

    async def sample(self) -> Snapshot:
        """As if more queues could turn up."""
        return replace(await super().sample(), swept=False)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (MemorySource(Shelf(ORDERS)), "1 queue  0 pending"),
        (MemorySource(Shelf(ORDERS), Shelf(MAILS)), "2 queues  0 pending"),
        (Searching(Shelf(ORDERS)), "1 queue so far  0 pending"),
    ],
)
async def test_how_many_queues_there_are(source: MemorySource, said: str) -> None:
    async with stage((100, 24), source) as held:
        assert held.status.strip().startswith(said)


@pytest.mark.parametrize(
    ("kind", "said"), [(MemorySource, "no queues on this server"), (Searching, "no queues found yet")]
)
@pytest.mark.parametrize("size", [(100, 24), (40, 5)])
async def test_what_an_empty_overview_says(kind: type[MemorySource], said: str, size: tuple[int, int]) -> None:
    async with stage(size, kind()) as held:
        assert said in held.text()


async def test_before_the_first_answer_there_are_no_totals() -> None:
    source = MemorySource(Shelf(ORDERS))
    source.frozen = True
    async with stage((100, 24), source) as held:
        assert held.status.startswith(" waiting for the server")
        assert "queue" not in held.status


async def test_what_was_done_is_marked_no_more_and_what_was_left_alone_is() -> None:
    shelf = Shelf(MAILS)
    shelf.at(Location.DEAD).extend(Job(job_id(number)) for number in range(4))
    async with stage((100, 24), MemorySource(shelf)) as held:
        await held.press("enter", "space", "space", "space")
        shelf.move(job_id(1), Location.PENDING)
        await held.press("R", "y", "escape")
        await held.sample()
        assert "1 marked" in held.status
        await held.press("down", "u", "R", "y")
        assert held.acts is not None
        assert [[job.id for job in plan.jobs] for plan in held.acts.ran] == [[job_id(0), job_id(2)], [job_id(3)]]


async def test_all_that_match_are_meant_for_one_act() -> None:
    shelf = Shelf(MAILS)
    shelf.at(Location.DEAD).extend(Job(job_id(number)) for number in range(4))
    async with stage((100, 24), MemorySource(shelf)) as held:
        await held.press("enter", "ctrl+a", "R", "y")
        assert "all dead jobs" not in held.status


@pytest.mark.parametrize(
    ("width", "seen"),
    [
        (100, " P (pause) does nothing here; ? tells the keys"),
        (60, " P (pause) does nothing here; ? tells the keys"),
        (30, " P (pause) does nothing here…"),
    ],
)
async def test_what_has_just_been_said_is_worth_more_than_totals(width: int, seen: str) -> None:
    shelf = Shelf(MAILS)
    shelf.at(Location.DEAD).extend(Job(job_id(number)) for number in range(4))
    async with stage((width, 24), MemorySource(shelf)) as held:
        await held.press("f", "P")
        line = held.text().splitlines()[-2]
        assert line.startswith(seen)
        assert ("4 dead" in line) == (width == 100)


@pytest.mark.parametrize(
    ("errors", "said"), [(("SMTP",), "1 error of 1 dead"), (("SMTP", "timeout"), "2 errors of 2 dead")]
)
async def test_how_many_errors_there_are(errors: tuple[str, ...], said: str) -> None:
    shelf = Shelf(MAILS)
    shelf.at(Location.DEAD).extend(Job(job_id(number), last_error=error) for number, error in enumerate(errors))
    async with stage((100, 24), MemorySource(shelf)) as held:
        await held.press("f")
        await held.sample()
        assert held.status.strip().endswith(said)


async def test_the_demo_tells_what_to_try_until_something_is_opened() -> None:
    hints = [Keymap().fill(words) for words in HINTS]
    assert max(map(cells, hints)) <= 78
    async with stage((80, 24), settings=Settings(hints=HINTS)) as held:
        assert [line.strip() for line in held.text().splitlines()[-5:-2]] == hints
        await held.pilot.resize_terminal(80, 12)
        await held.settle()
        assert hints[0] not in held.text()
        await held.pilot.resize_terminal(80, 24)
        await held.press("down", "enter", "escape")
        assert hints[0] not in held.text()


@pytest.mark.parametrize(("lane", "said"), [(None, "pause: orders paused"), ("GRP1", "pause: orders lane GRP1 paused")])
def test_what_was_paused(lane: str | None, said: str) -> None:
    assert headline(Outcome(Verb.PAUSE, ORDERS, 1, 1, lane=lane)).text == said


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (
            Outcome(Verb.REQUEUE, ORDERS, 9, 3, unknown=("a", "b"), stopped=True, lost="gone"),
            "requeue: 3 jobs back in pending, outcome of 2 jobs unknown, the server was lost (gone), 4 jobs not begun",
        ),
        (
            Outcome(Verb.UNDO, ORDERS, 2, 0, skipped=(Skip("a", Reason.MOVED, ""), Skip("b", Reason.MOVED, ""))),
            "undo: 2 left alone (moved on)",
        ),
        (
            Outcome(Verb.REQUEUE, ORDERS, 4, 1, unknown=("a", "b", "c"), lost="gone"),
            "requeue: 1 job back in pending, outcome of 3 jobs unknown, the server was lost (gone)",
        ),
        (
            Outcome(Verb.REQUEUE, ORDERS, 2, 1, stopped=True, lost="gone"),
            "requeue: 1 job back in pending, the server was lost (gone), 1 job not begun",
        ),
        (Outcome(Verb.REQUEUE, ORDERS, 2, 1, stopped=True), "requeue: 1 job back in pending, stopped"),
    ],
)
def test_a_lost_server_is_no_stop_of_the_operator(outcome: Outcome, said: str) -> None:
    assert headline(outcome).text == said
    assert headline(outcome).tone == ("bad" if outcome.lost else "warn")


@pytest.mark.parametrize("place", ["E", "c"])
async def test_the_zone_is_named_when_it_is_changed(place: str) -> None:
    async with stage((100, 24)) as held:
        await held.press("down", "enter", place, "U")
        assert held.status.strip().startswith("times in UTC")
        await held.press("U")
        assert held.status.strip().startswith("times in your zone")


async def test_numbers_that_are_held_do_not_follow() -> None:
    async with stage((100, 24)) as held:
        await held.press("E")
        assert "follows" in held.status
        await held.press("z")
        assert "follows" not in held.status
        assert "frozen" in held.status


async def test_a_queue_of_exactly_the_name_that_is_typed_is_the_one_that_is_meant() -> None:
    busy = Shelf(QueueId(Family.ECHOMQ, "emq", "task:mails"))
    busy.at(Location.ACTIVE).append(Job(job_id(1), deadline_ms=1))
    async with stage((100, 24), MemorySource(busy, Shelf(MAILS))) as held:
        await held.press("slash", *"mails", "enter")
        assert "task:mails" in held.text()
        await held.press("enter")
        assert held.screen.queue_meant() == MAILS


async def test_all_jobs_of_a_tab_are_not_said_to_fit_a_condition() -> None:
    shelf = Shelf(MAILS)
    shelf.at(Location.DEAD).extend(Job(job_id(number)) for number in range(4))
    async with stage((100, 24), MemorySource(shelf)) as held:
        await held.press("enter", "ctrl+a", "R")
        assert "Bring 4 jobs of mails back" in held.text()
        assert "only where" not in held.text()
