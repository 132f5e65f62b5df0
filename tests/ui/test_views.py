"""Where the user is, as tables: tabs, lanes and pages; the order of the queues; lines and their differences."""

import pytest

from emqtop.model.job import Job
from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.rates import Rates
from emqtop.present.rows import QueueRow
from emqtop.ui.chosen import where
from emqtop.ui.crumbs import path_parts
from emqtop.ui.ordering import Order, badness, ordered
from emqtop.ui.queue_tabs import first_tab
from emqtop.ui.queue_view import PAGE, QueueView, Tab
from emqtop.ui.widgets.line import Part, between, changed_span, whole
from emqtop.ui.widgets.paper import wrap, wrap_words
from tests.ui.scenes import EMAILS, ORDERS

ACTIVE = QueueView(ORDERS)
DEAD = QueueView(ORDERS, Tab.DEAD)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ACTIVE.step(1), QueueView(ORDERS, Tab.SCHEDULE)),
        (ACTIVE.step(-2), QueueView(ORDERS, Tab.METRICS)),
        (QueueView(EMAILS, Tab.DONE).step(1), QueueView(EMAILS, Tab.WORKERS)),
        (QueueView(EMAILS, Tab.METRICS).step(1), QueueView(EMAILS, Tab.PENDING)),
        (ACTIVE.nth(4), DEAD),
        (ACTIVE.nth(7), QueueView(ORDERS, Tab.LANES)),
        (ACTIVE.nth(10), QueueView(ORDERS, Tab.METRICS)),
        (QueueView(EMAILS).nth(7), QueueView(EMAILS, Tab.WORKERS)),
        (QueueView(EMAILS).nth(10), QueueView(EMAILS)),
        (ACTIVE.nth(0), ACTIVE),
        (DEAD.page(1, 500), QueueView(ORDERS, Tab.DEAD, start=PAGE)),
        (DEAD.page(1, PAGE), DEAD),
        (DEAD.page(-1, 500), DEAD),
        (DEAD.page(1, 500).page(-1, 500), DEAD),
        (DEAD.page(1, 500).step(0), DEAD),
        (DEAD.end(True, 2 * PAGE + 1), QueueView(ORDERS, Tab.DEAD, start=2 * PAGE)),
        (DEAD.end(True, 2 * PAGE), QueueView(ORDERS, Tab.DEAD, start=PAGE)),
        (DEAD.end(True, 0), DEAD),
        (DEAD.page(1, 500).end(False, 500), DEAD),
        (QueueView(ORDERS, Tab.LANES).into("GRP1"), QueueView(ORDERS, Tab.PENDING, "GRP1")),
        (QueueView(ORDERS, Tab.PENDING, "GRP1").out(), QueueView(ORDERS, Tab.LANES)),
        (DEAD.out(), None),
    ],
)
def test_going(before: QueueView, after: QueueView) -> None:
    assert before == after


def test_what_a_view_reads() -> None:
    request = QueueView(ORDERS, Tab.PENDING, "GRP1", PAGE).request
    assert request is not None
    assert (request.location, request.lane, request.start, request.limit) == ("pending", "GRP1", PAGE, PAGE)
    assert QueueView(ORDERS, Tab.LANES).request is None


@pytest.mark.parametrize(
    ("counts", "tab"),
    [
        ({}, Tab.ACTIVE),
        ({"active": 1, "dead": 5}, Tab.ACTIVE),
        ({"pending": 1, "dead": 5}, Tab.PENDING),
        ({"dead": 5, "schedule": 1}, Tab.DEAD),
        ({"schedule": 1}, Tab.SCHEDULE),
    ],
)
def test_first_tab(counts: dict[str, int], tab: Tab) -> None:
    assert first_tab(Queue(ORDERS, **counts)) is tab


def row(name: str, done: float | None = None, **counts: object) -> QueueRow:
    """A row of the overview."""
    return QueueRow(Queue(QueueId(Family.ECHOMQ, "emq", name), **counts), Rates(done=done))  # type: ignore[arg-type]


ROWS = (
    row("a", 1.0, pending=5, active=1),
    row("b", pending=9, active=1, overdue=2, oldest_pending_ms=500),
    row("c", 7.0, pending=1, paused=True, dead=1),
    row("d", error="WRONGTYPE"),
    row("e", 0.0, pending=3, active=0, oldest_pending_ms=100),
)


@pytest.mark.parametrize(
    ("order", "turned", "names"),
    [
        (Order.WORST, False, "dbcea"),
        (Order.WORST, True, "aecbd"),
        (Order.NAME, False, "abcde"),
        (Order.NAME, True, "edcba"),
        (Order.PENDING, False, "baecd"),
        (Order.PENDING, True, "ceabd"),
        (Order.DONE, False, "caebd"),
        (Order.OLDEST, False, "ebacd"),
        (Order.GROUP, False, "dbcea"),
    ],
)
def test_order(order: Order, turned: bool, names: str) -> None:
    assert "".join(row.queue.id.name for row in ordered(ROWS, order, turned)) == names


def test_every_order_comes_round() -> None:
    seen = [Order.WORST]
    while (following := seen[-1].following()) is not Order.WORST:
        seen.append(following)
    assert seen == list(Order)


@pytest.mark.parametrize(
    ("counts", "worth"),
    [
        ({"error": "x", "overdue": 1}, 7),
        ({"overdue": 1, "paused": True, "pending": 1}, 6),
        ({"paused": True, "pending": 1}, 5),
        ({"paused": True}, 0),
        ({"pending": 1, "active": 0}, 4),
        ({"due": 1}, 3),
        ({"dead": 1}, 2),
        ({"pending": 1, "active": 1}, 1),
        ({}, 0),
    ],
)
def test_badness(counts: dict[str, object], worth: int) -> None:
    assert badness(Queue(ORDERS, **counts)) == worth  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "lane", "ids"),
    [
        ("", None, "abc"),
        ("smtp", None, "ab"),
        ("smtp !timeout", None, "a"),
        ("smtp timeout", None, "b"),
        ("", "G1", "c"),
        ("smtp", "G1", ""),
        ("!", None, "abc"),
    ],
)
def test_all_that_match(wanted: str, lane: str | None, ids: str) -> None:
    jobs = [
        Job("a", last_error="SMTP 550", payload=b"", payload_bytes=0),
        Job("b", last_error="SMTP timeout", payload=b"", payload_bytes=0),
        Job("c", group="G1", payload=b"", payload_bytes=0),
    ]
    condition = where(wanted, lane)
    assert "".join(job.id for job in jobs if condition.matches(job, 0)) == ids


A, B, WIDE = Part("abc"), Part("abc", "bad"), Part("名")


@pytest.mark.parametrize(
    ("old", "new", "span"),
    [
        ((A,), (A,), None),
        ((A,), (B,), (0, 3)),
        ((A,), (Part("abX"),), (2, 3)),
        ((A, A), (Part("ab"), Part("cabc")), None),
        ((A,), (Part("a"),), (1, 3)),
        ((), (A,), (0, 3)),
        ((A, WIDE), (A, Part("x")), (0, 5)),
        ((Part("a›b"),), (Part("a›c"),), (2, 3)),
    ],
)
def test_changed_span(old: tuple[Part, ...], new: tuple[Part, ...], span: tuple[int, int] | None) -> None:
    assert changed_span(old, new) == span


@pytest.mark.parametrize(
    ("left", "right", "width", "text"),
    [
        ("left", "right", 12, "left   right"),
        ("left", "right", 9, "le… right"),
        ("left", "right", 6, " right"),
        ("left", "right", 4, "rig…"),
        ("left", "right", 0, ""),
        ("左側", "r", 5, "左… r"),
    ],
)
def test_between(left: str, right: str, width: int, text: str) -> None:
    assert "".join(part.text for part in between([Part(left)], [Part(right)], width, "plain")) == text


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("", 5, [""]),
        ("abcdefg", 3, ["abc", "def", "g"]),
        ("abc", 3, ["abc"]),
        ("名前名", 3, ["名", "前", "名"]),
        ("名", 1, ["名"]),
        ("abc", 0, []),
    ],
)
def test_wrap(text: str, width: int, rows: list[str]) -> None:
    assert ["".join(part.text for part in line) for line in wrap((Part(text),), width)] == rows


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("", 5, [""]),
        ("one two three", 8, ["one two", "three"]),
        ("  one two", 5, ["  one", "two"]),
        ("a longest b", 4, ["a", "long", "est", "b"]),
        ("名前 名", 4, ["名前", "名"]),
        ("abc", 0, [""]),
    ],
)
def test_wrap_words(text: str, width: int, rows: list[str]) -> None:
    assert ["".join(part.text for part in line) for line in wrap_words((Part(text),), width)] == rows


def test_words_of_several_parts_are_wrapped_as_one_line() -> None:
    line = (Part("left", "warn"), Part(" alone by", "dim"), Part(" all", "warn"))
    assert list(wrap_words(line, 10)) == [
        (Part("left", "warn"), Part(" alone", "dim")),
        (Part("by", "dim"), Part(" all", "warn")),
    ]


@pytest.mark.parametrize(
    ("width", "kept"),
    [(30, "2 overdue  6 queues  5 pending"), (29, "2 overdue  6 queues"), (18, "2 overdue"), (8, "2 overd…"), (0, "")],
)
def test_a_summary_loses_whole_parts_from_its_end(width: int, kept: str) -> None:
    parts = [Part(text) for text in ("2 overdue", "  ", "6 queues", "  ", "5 pending")]
    assert "".join(part.text for part in whole(parts, width)) == kept
    assert whole([], width) == ()


@pytest.mark.parametrize(
    ("width", "path"),
    [(24, "emqtop › orders › active"), (23, "orders › active"), (14, "active"), (0, "active")],
)
def test_the_outer_crumbs_go_first(width: int, path: str) -> None:
    parts = list(path_parts(("emqtop", "orders", "active"), width))
    assert "".join(part.text for part in parts) == path
    assert [part.tone for part in parts] == ["key", *["bar"] * (len(parts) - 1)]
