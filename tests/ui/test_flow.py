"""The family of a job: which way it is followed, and what each line says."""

import pytest

from emqtop.model.job import Job, JobDetail
from emqtop.model.queue import Family, Location, QueueId
from emqtop.present.flow_tree import children_of, flow_rows, parent_of, unnamed
from emqtop.sampling.memory import START_MS, MemorySource, Shelf
from emqtop.ui.screens.flow import FlowScreen
from emqtop.ui.screens.job import JobScreen
from tests.corpus import HOSTILE, unsafe
from tests.ui.scenes import EMAILS, MAILS, ORDERS, job_id
from tests.ui.stage import stage


def kin(queue: QueueId, job: str, **rest: object) -> JobDetail:
    return JobDetail(queue, Job(job), 0, None, **rest)  # type: ignore[arg-type]


def family() -> MemorySource:
    """A parent in `mails`, three children in `orders` of which one is dead, one finished."""
    mails, orders = Shelf(MAILS), Shelf(ORDERS)
    mails.at(Location.HELD).append(Job(job_id(1), "awaiting_children", 0, START_MS - 60_000))
    mails.families[job_id(1)] = kin(
        MAILS, job_id(1), waiting_for=2, children=((job_id(11), "failed"), (job_id(12), "done"))
    )
    orders.at(Location.PENDING).append(Job(job_id(10), "pending", 0, START_MS - 50_000))
    orders.families[job_id(10)] = kin(ORDERS, job_id(10), parent=job_id(1), parent_queue="mails")
    return MemorySource(mails, orders)


async def test_it_climbs_to_the_parent_and_shows_its_children() -> None:
    async with stage((100, 9), family()) as held:
        await held.press("enter", "1", "enter", "F")
        await held.sample()
        assert held.text().splitlines()[1:5] == [
            "  JOB                                                        FOR PARENT LOCATION WAITS   ATT    AGE",
            "❯ ▾ mails JOB00000000001                                     -          held         2     0  1m00s",
            "      JOB00000000010                                         waiting    pending      -     0    50s",
            "      mails JOB00000000011                                   failed     no row       -     -      -",
        ]
        assert "1 failed" in held.status
        assert "2 waited for, their ids are kept nowhere" in held.status


async def test_children_fold_and_their_jobs_open() -> None:
    async with stage((100, 12), family()) as held:
        await held.press("enter", "1", "enter", "F")
        await held.sample()
        await held.press("home", "space")
        assert job_id(10) not in "\n".join(held.text().splitlines()[2:])
        await held.press("space", "down", "enter")
        assert isinstance(held.screen, JobScreen)
        assert (held.screen.queue, held.screen.job_id) == (ORDERS, job_id(10))


async def test_a_job_without_a_family_stands_alone() -> None:
    async with stage((100, 12)) as held:
        await held.press("down", "enter", "4", "enter", "F")
        await held.sample()
        assert isinstance(held.screen, FlowScreen)
        assert [row.member for row in held.screen.items()] == [(ORDERS, job_id(300))]


OTHER = QueueId(Family.BULLMQ, "bull", "a:b")
KNOWN = (EMAILS, OTHER, QueueId(Family.BULLMQ, "bull", "a"))


def test_a_child_of_another_queue_is_cut_by_the_longest_name_that_is_known() -> None:
    detail = kin(EMAILS, "1", children=(("bull:a:b:7", "waiting"), ("8", "done"), ("bull:x:9", "failed")))
    assert list(children_of(detail, KNOWN)) == [
        ((OTHER, "7"), "waiting"), ((EMAILS, "8"), "done"), ((EMAILS, "bull:x:9"), "failed"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("queue", "named", "wanted"),
    [
        (ORDERS, None, ORDERS),
        (ORDERS, "mails", MAILS),
        (EMAILS, "bull:a:b", OTHER),
        (EMAILS, "bull:c:d", QueueId(Family.BULLMQ, "bull", "c:d")),
    ],
)
def test_the_parents_queue(queue: QueueId, named: str | None, wanted: QueueId) -> None:
    assert parent_of(kin(queue, "1", parent="p", parent_queue=named), KNOWN) == (wanted, "p")
    assert parent_of(kin(queue, "1"), KNOWN) is None


def test_a_circle_ends() -> None:
    one, two = (ORDERS, "1"), (ORDERS, "2")
    details = {one: kin(ORDERS, "1", children=(("2", "waiting"),)), two: kin(ORDERS, "2", children=(("1", "waiting"),))}
    rows = flow_rows(one, one, details, [one, two], [])
    assert [(row.member[1], row.depth) for row in rows] == [("1", 0), ("2", 1), ("1", 2)]


def test_children_that_are_not_named_are_counted() -> None:
    assert unnamed(None) == unnamed(kin(ORDERS, "1")) == 0
    assert unnamed(kin(ORDERS, "1", waiting_for=3, children=(("2", "waiting"), ("3", "done")))) == 2
    assert unnamed(kin(ORDERS, "1", waiting_for=-1)) == 0


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 15), (20, 5), (2, 1)])
async def test_any_size_and_hostile_families(size: tuple[int, int]) -> None:
    texts = [value.decode("utf-8", "surrogateescape") for value in HOSTILE.values()]
    source = family()
    source.shelves[ORDERS].families[job_id(10)] = kin(
        ORDERS, job_id(10), parent="\x1b[2J", parent_queue="[/red]", children=tuple((text, "failed") for text in texts)
    )
    async with stage(size, source) as held:
        await held.press("enter", "1", "enter", "F")
        await held.sample()
        for strip in held.strips():
            assert not unsafe(strip.text)
            assert strip.cell_length == size[0]
