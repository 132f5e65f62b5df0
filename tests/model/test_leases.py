"""What is remembered of leases while they are watched."""

from emqtop.model.job import Job, Page
from emqtop.model.leases import LeaseWatch, Watched
from emqtop.model.queue import Family, Location, QueueId

QUEUE = QueueId(Family.ECHOMQ, "emq", "orders")


def page(at_ms: int, *jobs: Job, location: Location = Location.ACTIVE) -> Page:
    """A page of jobs."""
    return Page(QUEUE, location, at_ms, len(jobs), 0, jobs)


def test_the_longest_lease_is_what_the_rest_is_a_part_of() -> None:
    watch = LeaseWatch()
    watch.see(page(1_000, Job("a", attempts=1, deadline_ms=31_000)))
    watch.see(page(2_000, Job("a", attempts=1, deadline_ms=31_000)))
    assert watch.of("a") == Watched(1, 1_000, 30_000)
    watch.see(page(3_000, Job("a", attempts=1, deadline_ms=63_000)))
    assert watch.of("a") == Watched(1, 1_000, 60_000)


def test_another_attempt_begins_anew() -> None:
    watch = LeaseWatch()
    watch.see(page(1_000, Job("a", attempts=1, deadline_ms=61_000)))
    watch.see(page(2_000, Job("a", attempts=2, deadline_ms=12_000)))
    assert watch.of("a") == Watched(2, 2_000, 10_000)


def test_who_left_the_page_is_forgotten() -> None:
    watch = LeaseWatch()
    watch.see(page(1_000, Job("a", deadline_ms=2_000), Job("b")))
    watch.see(page(1_500, Job("b")))
    assert (watch.of("a"), watch.of("b")) == (None, Watched(None, 1_000, 0))


def test_other_locations_change_nothing() -> None:
    watch = LeaseWatch()
    watch.see(page(1_000, Job("a", deadline_ms=2_000)))
    watch.see(page(1_500, Job("b"), location=Location.DEAD))
    assert watch.of("a") is not None
    assert watch.of("b") is None
