"""Keys as steps from one view to the next: state, step, wanted state."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from emqtop.model.queue import Family, Location, QueueId
from emqtop.model.view import Screen, View

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
TOP = View()
ROWS = ("a", "b", "c", "d")
AT_B = View(chosen="b", place=1)
QUEUE = View(Screen.QUEUE, ORDERS, outer=TOP)
PAGED = replace(QUEUE, cursors=("p1", "p2"), chosen="b", place=1, marks=frozenset("ab"))


@pytest.mark.parametrize(
    ("before", "step", "after"),
    [
        (TOP, lambda view: view.open_queue(ORDERS), QUEUE),
        (replace(TOP, paused=True), lambda view: view.open_queue(ORDERS).paused, True),
        (QUEUE, lambda view: view.open_job("a"), View(Screen.JOB, ORDERS, job="a", outer=QUEUE)),
        (PAGED, lambda view: view.open_job("a").back(), PAGED),
        (QUEUE, lambda view: view.back(), TOP),
        (TOP, lambda view: view.back(), TOP),
        (PAGED, lambda view: view.show(Location.PENDING), PAGED),
        (PAGED, lambda view: view.show(Location.DEAD), View(Screen.QUEUE, ORDERS, Location.DEAD, outer=TOP)),
        (
            PAGED,
            lambda view: view.show(Location.PENDING, "PRT1"),
            View(Screen.QUEUE, ORDERS, Location.PENDING, "PRT1", outer=TOP),
        ),
        (TOP, lambda view: view.choose("c", ROWS), View(chosen="c", place=2)),
        (AT_B, lambda view: view.choose("x", ROWS), AT_B),
        (AT_B, lambda view: view.move(1, ROWS), View(chosen="c", place=2)),
        (AT_B, lambda view: view.move(-9, ROWS), View(chosen="a", place=0)),
        (AT_B, lambda view: view.move(9, ROWS), View(chosen="d", place=3)),
        (AT_B, lambda view: view.move(1, ()), TOP),
        (TOP, lambda view: view.move(0, ROWS), View(chosen="a", place=0)),
        (AT_B, lambda view: view.refresh(("x", "y", "a", "b")), View(chosen="b", place=3)),
        (AT_B, lambda view: view.refresh(("a", "c")), View(chosen=None, place=1)),
        (AT_B, lambda view: view.refresh(("a", "c")).refresh(ROWS), View(chosen=None, place=1)),
        (AT_B, lambda view: view.refresh(("a", "c")).move(0, ("a", "c")), View(chosen="c", place=1)),
        (AT_B, lambda view: view.mark("ab"), replace(AT_B, marks=frozenset("ab"))),
        (PAGED, lambda view: view.mark("b").marks, frozenset("a")),
        (PAGED, lambda view: view.mark("bc").marks, frozenset("abc")),
        (PAGED, lambda view: view.mark_until("d", ROWS).marks, frozenset("abcd")),
        (AT_B, lambda view: view.mark_until("a", ROWS).marks, frozenset("ab")),
        (AT_B, lambda view: view.mark_until("x", ROWS), AT_B),
        (TOP, lambda view: view.mark_until("a", ROWS), TOP),
        (PAGED, lambda view: view.refresh(("c",)).marks, frozenset("ab")),
        (PAGED, lambda view: view.unmark().marks, frozenset()),
        (TOP, lambda view: view.order_by("dead"), View(sort="dead")),
        (TOP, lambda view: view.order_by("dead").order_by("dead"), View(sort="dead", turned=True)),
        (TOP, lambda view: view.order_by("dead").order_by("dead").order_by("name"), View(sort="name")),
        (PAGED, lambda view: view.narrow("x").after, None),
        (PAGED, lambda view: view.narrow("x").marks, frozenset("ab")),
        (PAGED, lambda view: view.narrow(""), PAGED),
        (TOP, lambda view: view.toggle_pause().toggle_pause(), TOP),
        (PAGED, lambda view: view.next_page("p3").after, "p3"),
        (PAGED, lambda view: view.next_page("p3").chosen, None),
        (PAGED, lambda view: view.next_page(None), PAGED),
        (PAGED, lambda view: view.previous_page().after, "p1"),
        (QUEUE, lambda view: view.previous_page(), QUEUE),
    ],
)
def test_step(before: View, step: Callable[[View], object], after: object) -> None:
    assert step(before) == after
