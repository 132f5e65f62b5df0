"""Acts for which a value is typed: the present one to begin with, what cannot be meant refused in words."""

import asyncio

import pytest
from textual.widgets import Input

from emqtop.model.actions import Order, Verb
from emqtop.model.typed import BadValue, length, length_words
from emqtop.ui.act_state import Stage
from emqtop.ui.aim import Aim
from emqtop.ui.messages import ActWanted
from emqtop.ui.screens.confirm import ConfirmScreen
from emqtop.ui.wants import WANTS
from emqtop.wire.errors import Frozen
from tests.ui import stage as stages
from tests.ui.scenes import EMAILS, TENANTS, job_id
from tests.ui.stage import stage

LIMIT = Order(Verb.LIMIT, TENANTS, lane="GRP00000000002")


async def ask(held: stages.Stage, order: Order) -> ConfirmScreen:
    held.screen.post_message(ActWanted(Aim(order)))
    await held.settle()
    assert isinstance(held.app.screen, ConfirmScreen)
    return held.app.screen


async def retype(held: stages.Stage, dialog: ConfirmScreen, value: str) -> None:
    dialog.query_one("#value", Input).value = value
    await held.press("enter")


async def test_the_present_value_stands_in_the_field() -> None:
    async with stage((80, 24)) as held:
        assert held.acts is not None
        dialog = await ask(held, LIMIT)
        assert dialog.stage is Stage.TYPING
        assert dialog.query_one("#value", Input).value == "4"
        assert all(words in held.text() for words in ("jobs at once", "10, or none", "now 4", "lane GRP00000000002"))
        await held.press("1", "2", "enter")
        assert "Change how many jobs of tenants lane GRP00000000002 may run at once?" in held.text()
        assert "jobs at once 4 → 12" in held.text()
        await held.press("enter")
        assert held.acts.ran == []
        assert len(held.app.screen_stack) == 1


async def test_what_was_typed_is_what_is_done() -> None:
    async with stage((80, 24)) as held:
        assert held.acts is not None
        await ask(held, LIMIT)
        await held.press("7", "enter", "y")
        assert [(plan.order.verb, plan.order.lane, plan.order.ceiling) for plan in held.acts.ran] == [
            (Verb.LIMIT, LIMIT.lane, 7)
        ]
        assert held.status.startswith(" limit: limit changed")


@pytest.mark.parametrize("value", ["", "0", "-1", "1.5", "many", "1000001", "９"])
async def test_what_cannot_be_meant_is_refused_in_words(value: str) -> None:
    async with stage((80, 24)) as held:
        assert held.acts is not None
        dialog = await ask(held, LIMIT)
        await retype(held, dialog, value)
        assert dialog.stage is Stage.TYPING
        assert "wanted a whole number from 1 to 1000000, or none" in held.text()
        await held.press("3")
        assert "wanted" not in held.text()


async def test_a_value_is_left_without_any_act() -> None:
    async with stage((80, 24)) as held:
        assert held.acts is not None
        for keys in (("escape",), ("tab", "enter")):
            await ask(held, LIMIT)
            await held.press(*keys)
            assert len(held.app.screen_stack) == 1
        assert held.acts.ran == []


async def test_letters_in_the_field_are_no_answers() -> None:
    async with stage((80, 24)) as held:
        dialog = await ask(held, LIMIT)
        await held.press("y", "n")
        assert dialog.query_one("#value", Input).value == "yn"
        assert dialog.stage is Stage.TYPING


async def test_a_server_that_cannot_tell_how_it_is_now_is_told() -> None:
    async with stage((80, 24)) as held:
        assert held.acts is not None
        held.acts.fault = Frozen("no answer within 5 s")
        await ask(held, LIMIT)
        assert "The server does not answer: no answer within 5 s" in held.text()
        assert "nothing was sent" in held.text()


async def test_a_lease_is_pushed_out_by_a_minute_unless_told() -> None:
    async with stage((80, 24)) as held:
        assert held.acts is not None
        await held.press("down", "enter", "2", "e")
        assert all(words in held.text() for words in (job_id(100), "lease longer by", "1m"))
        assert "now" not in held.text().split("Extend")[1]
        await held.press(*"5m", "enter")
        assert "lease longer by 5m" in held.text()
        await held.press("y")
        assert [plan.order.by_ms for plan in held.acts.ran] == [300_000]


async def test_a_field_fits_a_small_window_or_nothing_is_asked() -> None:
    async with stage((40, 12)) as held:
        await ask(held, LIMIT)
        assert "jobs at once" in " ".join(held.text().replace("│", " ").split())
    async with stage((40, 5)) as held:
        assert held.acts is not None
        dialog = await ask(held, LIMIT)
        assert "too small to ask" in " ".join(held.text().split())
        assert not dialog.query_one("#value", Input).display
        await held.pilot.resize_terminal(80, 24)
        await held.settle()
        await held.press("3", "enter")
        assert "jobs at once 4 → 3" in held.text()
        assert held.acts.ran == []


@pytest.mark.parametrize(
    ("verb", "typed", "options"),
    [
        (Verb.LIMIT, "none", {"ceiling": None}),
        (Verb.LIMIT, "1000000", {"ceiling": 1_000_000}),
        (Verb.RATE, "none", {"ceiling": None, "by_ms": 0}),
        (Verb.RATE, "100 per 1m", {"ceiling": 100, "by_ms": 60_000}),
        (Verb.DELAY, "1h30m", {"by_ms": 5_400_000}),
        (Verb.PRIORITIZE, "0", {"priority": 0, "first": False}),
        (Verb.PRIORITIZE, "2097151 first", {"priority": 2_097_151, "first": True}),
        (Verb.EXTEND, "250ms", {"by_ms": 250}),
    ],
)
def test_values_are_read_and_written_the_same(verb: Verb, typed: str, options: dict[str, object]) -> None:
    want = WANTS[verb]
    order = want.read(Order(verb, EMAILS), typed)
    assert {name: getattr(order, name) for name in options} == options
    assert want.shown(order) == typed


@pytest.mark.parametrize(
    ("verb", "typed", "said"),
    [
        (Verb.RATE, "100", "wanted jobs and a length of time, as 100 per 1m, or none"),
        (Verb.RATE, "0 per 1m", "wanted a whole number from 1 to 1000000"),
        (Verb.RATE, "100 per 1", "'1' is not a duration; wanted one like 90s, 5m or 2h"),
        (Verb.DELAY, "60", "'60' is not a duration; wanted one like 90s, 5m or 2h"),
        (Verb.DELAY, "0s", "wanted more than 0 and at most a year"),
        (Verb.DELAY, "366d", "wanted more than 0 and at most a year"),
        (Verb.PRIORITIZE, "2097152", "wanted a whole number from 0 to 2097151"),
        (Verb.PRIORITIZE, "5 last", "wanted a number, or a number and the word first"),
        (Verb.PRIORITIZE, "", "wanted a whole number from 0 to 2097151"),
    ],
)
def test_other_values_are_refused(verb: Verb, typed: str, said: str) -> None:
    with pytest.raises(BadValue) as refusal:
        WANTS[verb].read(Order(verb, EMAILS), typed)
    assert str(refusal.value) == said


def test_a_rate_is_written_in_more_than_one_way() -> None:
    for typed in ("5 per 1s", "5per1s", "5/1s", "5 / 1000ms"):
        assert WANTS[Verb.RATE].shown(WANTS[Verb.RATE].read(Order(Verb.RATE, EMAILS), typed)) == "5 per 1s"


@pytest.mark.parametrize("words", ["1ms", "90s", "1d2h3m4s5ms", "", "1m"])
def test_a_length_is_written_as_it_is_read(words: str) -> None:
    ms = length(words) if words else 0
    assert length_words(ms) == words or length(length_words(ms)) == ms


async def test_a_value_is_typed_on_a_job_too() -> None:
    async with stage((80, 24)) as held:
        assert held.acts is not None
        await held.press("down", "enter", "2", "enter", "e")
        await held.press(*"2h", "enter")
        assert "Push out the lease of 1 job of orders?" in held.text()
        await held.press("y")
        assert [(plan.order.by_ms, plan.jobs[0].id) for plan in held.acts.ran] == [(7_200_000, job_id(100))]


async def test_an_act_without_an_answer_says_what_is_known_of_it() -> None:
    async with stage((80, 24)) as held:
        assert held.acts is not None
        held.acts.gate = asyncio.Event()
        await held.press("down", "r", "y")
        assert "0 of 2" in held.text()
        assert "not answered" not in held.text()
        held.source.frozen = True
        await held.settle()
        for _ in range(4):
            held.clock.now_s += 1
            held.app.screen.advance()  # type: ignore[attr-defined]
        await held.settle()
        for words in (
            "1 job was sent 4 s ago, and the server has not answered",
            "whether it moved is not known; nothing is sent a second time",
            "once it answers it is read and the outcome is told here",
        ):
            assert words in " ".join(held.text().replace("│", " ").split())
        held.source.frozen = False
        held.source.touch()
        held.acts.gate.set()
        await held.settle()
        assert held.status.startswith(" reap: 2 jobs back in pending")
