"""Dead jobs by error: how they are counted, and what an act on a group covers."""

import pytest

from emqtop.model.actions import Verb
from emqtop.model.job import Job
from emqtop.model.queue import Location
from emqtop.sampling.memory import START_MS, MemorySource, Shelf
from emqtop.ui.screens.errors import ErrorsScreen
from emqtop.ui.screens.job import JobScreen
from tests.corpus import HOSTILE, unsafe
from tests.ui.scenes import ORDERS, job_id
from tests.ui.stage import Stage, stage


def dead(*errors: str | None) -> MemorySource:
    shelf = Shelf(ORDERS)
    shelf.at(Location.DEAD).extend(
        Job(job_id(number), "dead", 3, START_MS - 1_000 * number, last_error=error)
        for number, error in enumerate(errors)
    )
    return MemorySource(shelf)


def errors(held: Stage) -> ErrorsScreen:
    assert isinstance(held.screen, ErrorsScreen)
    return held.screen


async def test_the_largest_group_stands_first() -> None:
    source = dead("SMTP 550: no user 17", "timeout after 30 s", "SMTP 551: no user 4", None)
    async with stage((80, 9), source) as held:
        await held.press("f")
        await held.sample()
        assert held.text().splitlines()[1:5] == [
            "   JOBS OLDEST NEWEST SAMPLE         ERROR",
            "❯     2   2.0s     0s JOB00000000000 SMTP <n>: no user <n>",
            "      1   3.0s   3.0s JOB00000000003 (no error kept)",
            "      1   1.0s   1.0s JOB00000000001 timeout after <n> s",
        ]
        assert "3 errors of 4 dead" in held.status


@pytest.mark.parametrize(("key", "verb"), [("R", Verb.REQUEUE), ("x", Verb.REMOVE)])
async def test_an_act_covers_the_jobs_of_the_group_alone(key: str, verb: Verb) -> None:
    source = dead("SMTP 550", "timeout", "SMTP 551")
    async with stage((100, 24), source) as held:
        await held.press("f", key)
        assert "only where like=" in held.text()
        if verb is Verb.REMOVE:
            await held.press(*"orders", "enter")
        await held.press("y")
        assert held.acts is not None
        plan = held.acts.ran[0]
        assert (plan.order.verb, [job.id for job in plan.jobs]) == (verb, [job_id(0), job_id(2)])


async def test_no_act_without_a_group() -> None:
    async with stage((100, 24), dead()) as held:
        await held.press("f", "R")
        assert "no error is chosen" in held.status
        assert "no dead jobs" in held.text()


async def test_many_are_counted_a_few_pages_at_a_time() -> None:
    source = dead(*["boom"] * 5_000)
    async with stage((100, 24), source) as held:
        await held.press("f")
        while errors(held).counted is None or not errors(held).groups or errors(held).groups[0].count < 5_000:
            await held.pilot.pause(0.01)
        reads = source.reads
        first, last = reads.index("page dead"), len(reads) - 1 - reads[::-1].index("page dead")
        assert reads.count("page dead") == 10
        assert reads[first:last].count("page dead") == last - first or "sample" in reads[first:last]


async def test_they_are_counted_again_when_their_number_changed_but_not_at_once() -> None:
    source = dead("boom")
    async with stage((100, 24), source) as held:
        await held.press("f")
        await held.sample()
        source.shelves[ORDERS].at(Location.DEAD).append(Job(job_id(9), last_error="bang"))
        await held.sample()
        assert len(errors(held).groups) == 1
        await held.pass_time(11)
        await held.sample()
        await held.sample()
        assert [group.pattern for group in errors(held).groups] == ["bang", "boom"]
        asked = source.reads.count("page dead")
        await held.pass_time(11)
        await held.sample()
        assert source.reads.count("page dead") == asked


async def test_enter_opens_the_youngest_job_and_the_filter_narrows() -> None:
    async with stage((100, 24), dead("boom", "bang")) as held:
        await held.press("f", "slash", *"bang", "enter")
        assert [group.pattern for group in errors(held).items()] == ["bang"]
        await held.press("enter")
        assert isinstance(held.screen, JobScreen)
        assert held.screen.job_id == job_id(1)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 15), (20, 5), (2, 1)])
async def test_any_size_and_hostile_errors(size: tuple[int, int]) -> None:
    texts = [value.decode("utf-8", "surrogateescape") for value in HOSTILE.values()]
    async with stage(size, dead(*texts)) as held:
        await held.press("f")
        await held.sample()
        for _ in range(2):
            for strip in held.strips():
                assert not unsafe(strip.text)
                assert strip.cell_length == size[0]
            await held.press("R")
