"""Which queues stand together on the overview, and what is said above them."""

import pytest

from emqtop.model.queue import Family, Queue, QueueId
from emqtop.present.rows import QueueRow
from emqtop.text import safe
from emqtop.ui.ordering import Order
from emqtop.ui.sections import has_groups, sections


def row(family: Family, prefix: str, name: str, **counts: object) -> QueueRow:
    """A row of the overview."""
    return QueueRow(Queue(QueueId(family, prefix, name), **counts), twin=name == "same")  # type: ignore[arg-type]


ECHO, BULL = Family.ECHOMQ, Family.BULLMQ
ODD = "\x1b[2J"
ROWS = (
    row(BULL, "bull", "a", overdue=1),
    row(BULL, "bull", "same", dead=1),
    row(BULL, "emq", "{b}"),
    row(ECHO, "emq", "c", error="WRONGTYPE"),
    row(ECHO, "emq", "same", pending=1, active=1),
    row(ECHO, "emq", "d", pending=1, active=0),
    row(ECHO, ODD, "e"),
)
LATE = "overdue or in error  2 queues"


def told(order: Order, turned: bool = False, grouped: bool = True) -> list[tuple[str, str]]:
    """Heading and names of each section."""
    return [
        (
            "".join(text for text, _ in section.heading) if section.title else "",
            " ".join(
                f"{row.queue.id.prefix}:{row.queue.id.name}" if row.twin else row.queue.id.name for row in section.rows
            ),
        )
        for section in sections(ROWS, order, turned, grouped)
    ]


def test_the_few_that_need_an_eye_stand_before_all_groups() -> None:
    assert told(Order.WORST) == [
        (LATE, "emq:c bull:a"),
        (f"EchoMQ · {safe(ODD)}  1 queue", "e"),
        ("EchoMQ · emq  3 queues, 1 above", "d same"),
        ("BullMQ · bull  2 queues, 1 above", "same"),
        ("BullMQ · emq  1 queue", "{b}"),
    ]


def test_turned_around_everything_is() -> None:
    assert told(Order.WORST, turned=True) == [
        ("BullMQ · emq  1 queue", "{b}"),
        ("BullMQ · bull  2 queues, 1 above", "same"),
        ("EchoMQ · emq  3 queues, 1 above", "same d"),
        (f"EchoMQ · {safe(ODD)}  1 queue", "e"),
        (LATE, "bull:a emq:c"),
    ]


def test_groups_alone_are_whole() -> None:
    assert told(Order.GROUP) == [
        (f"EchoMQ · {safe(ODD)}  1 queue", "e"),
        ("EchoMQ · emq  3 queues", "c d same"),
        ("BullMQ · bull  2 queues", "a same"),
        ("BullMQ · emq  1 queue", "{b}"),
    ]


@pytest.mark.parametrize(("order", "grouped"), [(Order.NAME, True), (Order.PENDING, True), (Order.WORST, False)])
def test_a_column_orders_all_queues(order: Order, grouped: bool) -> None:
    ((heading, names),) = told(order, grouped=grouped)
    assert heading == ""
    assert len(names.split()) == len(ROWS)


@pytest.mark.parametrize(
    ("rows", "several"), [(ROWS, True), (ROWS[:2], False), (ROWS[1:3], True), (ROWS[2:4], True), ((), False)]
)
def test_whether_there_are_groups(rows: tuple[QueueRow, ...], several: bool) -> None:
    assert has_groups(row.queue.id for row in rows) is several
