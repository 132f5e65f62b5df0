"""The one table of commands: bindings, footer, palette, help screen and the README's key table are made from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from textual.binding import Binding, BindingType

from emqtop.model.actions import Verb
from emqtop.model.acts import ACTS, Danger


class Place(StrEnum):
    """Where a command may be given."""

    ANYWHERE = "anywhere"
    LIST = "lists"
    TEXT = "texts"
    OVERVIEW = "overview"
    QUEUE = "queue"
    JOB = "job"
    CHARTS = "charts"
    EVENTS = "events"
    ERRORS = "errors"
    AUDIT = "audit"
    PAYLOAD = "data"
    FLOW = "flow"
    DOCTOR = "doctor"
    SERVER = "server"
    REPLAY = "replay"
    DIALOG = "dialogs"
    HELP = "help"
    PALETTE = "palette"


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a key does."""

    id: str
    """Its name in the keymap of the config."""
    keys: tuple[str, ...]
    """Keys, in Textual's names, unless the user chose others; the first is the one that is shown.

    Empty: it is given from a menu or by its name, unless the user chose a key.
    """
    label: str
    """A word for the footer."""
    help: str
    """What it does, in one line."""
    places: tuple[Place, ...]
    """Where."""
    action: str = ""
    """Method that does it; empty: the id."""
    verb: Verb | None = None
    """The act it begins."""
    footer: int = 0
    """What it is worth a place in the footer, where the least goes first for want of room; 0: it is not named there."""

    @property
    def danger(self) -> Danger | None:
        """What it can do to a queue; None: nothing."""
        return None if self.verb is None else ACTS[self.verb].danger

    @property
    def call(self) -> str:
        """The action in Textual's form."""
        return self.action or self.id.replace("-", "_")


def _act(verb: Verb, key: str, label: str, *places: Place, footer: int = 0) -> Command:
    return Command(verb.value, (key,), label, ACTS[verb].help, places, f"act({verb.value!r})", footer=footer, verb=verb)


def _named(verb: Verb, *places: Place) -> Command:
    """An act that no key of the table begins: it is rare, or too large for a slip of a finger."""
    return Command(verb.value, (), verb.value, ACTS[verb].help, places, f"act({verb.value!r})", verb=verb)


_LIST, _TEXT, _DIALOG, _EVERYWHERE = (Place.LIST,), (Place.TEXT,), (Place.DIALOG,), (Place.ANYWHERE,)
_REPLAY = (Place.REPLAY,)
_ON_TOP_TOO = (Place.ANYWHERE, Place.DIALOG, Place.HELP, Place.PALETTE)
_TABS = (Place.QUEUE, Place.JOB)
_ACTED = (Place.OVERVIEW, Place.QUEUE, Place.JOB)
_COPIED = (*_ACTED, Place.DOCTOR, Place.EVENTS, Place.ERRORS, Place.AUDIT, Place.PAYLOAD, Place.FLOW)
_ASIDE = (Place.DOCTOR, Place.SERVER, Place.CHARTS, Place.EVENTS, Place.ERRORS, Place.AUDIT, Place.PAYLOAD, Place.FLOW)

COMMANDS: tuple[Command, ...] = (
    Command("open", ("enter", "right", "l"), "open", "open what is under the cursor", _LIST, footer=9),
    Command("back", ("escape", "left", "h"), "back", "back to where you came from", (*_ACTED, *_ASIDE), footer=8),
    Command("up", ("up", "k"), "up", "one row up", _LIST, "move(-1)"),
    Command("down", ("down", "j"), "down", "one row down", _LIST, "move(1)"),
    Command("page-up", ("pageup", "ctrl+b"), "page up", "one screen up", _LIST, "page(-1)"),
    Command("page-down", ("pagedown", "ctrl+f"), "page down", "one screen down", _LIST, "page(1)"),
    Command("first", ("home", "g"), "first", "first row", _LIST, "to_end(False)"),
    Command("last", ("end", "G"), "last", "last row", _LIST, "to_end(True)"),
    Command("scroll-up", ("up", "k"), "up", "one line up", _TEXT, "scroll(-1)"),
    Command("scroll-down", ("down", "j"), "down", "one line down", _TEXT, "scroll(1)"),
    Command("scroll-page-up", ("pageup", "ctrl+b"), "page up", "one screen up", _TEXT, "scroll_page(-1)"),
    Command("scroll-page-down", ("pagedown", "ctrl+f"), "page down", "one screen down", _TEXT, "scroll_page(1)"),
    Command("scroll-first", ("home", "g"), "first", "first line", _TEXT, "scroll_to_end(False)"),
    Command("scroll-last", ("end", "G"), "last", "last line", _TEXT, "scroll_to_end(True)"),
    Command("next-tab", ("tab", "right_square_bracket"), "next", "next tab", _TABS, "tab(1)"),
    Command("previous-tab", ("shift+tab", "left_square_bracket"), "previous", "tab before", _TABS, "tab(-1)"),
    Command("tab-by-number", tuple("1234567890"), "tab", "the tab of that number; 0: the tenth", _TABS, "nth_tab"),
    Command("next-page", ("greater_than_sign", "n"), "more", "the next jobs of a long list", (Place.QUEUE,), "turn(1)"),
    Command("previous-page", ("less_than_sign", "N"), "before", "the jobs before", (Place.QUEUE,), "turn(-1)"),
    Command("filter", ("slash",), "filter", "show only what matches; ! negates", (Place.LIST, Place.HELP), footer=5),
    Command("sort", ("s",), "sort", "order by the next column", (Place.OVERVIEW,), footer=3),
    Command("reverse", ("S",), "reverse", "turn the order around", (Place.OVERVIEW,)),
    Command("mark", ("space",), "mark", "mark the row for the next act", (Place.QUEUE,), footer=5),
    Command("mark-range", ("v",), "range", "mark from the last mark to here", (Place.QUEUE,)),
    Command("mark-all", ("asterisk",), "mark all", "mark every row in the list", (Place.QUEUE,)),
    Command("choose-all", ("ctrl+a",), "all", "mean all that match, those too that are not loaded", (Place.QUEUE,)),
    Command("unmark", ("u",), "unmark", "take all marks away", (Place.QUEUE,)),
    _act(Verb.REAP, "r", "reap", *_ACTED, Place.DOCTOR, footer=7),
    _act(Verb.PROMOTE, "p", "promote", *_ACTED, Place.DOCTOR, footer=4),
    _act(Verb.DEAD_LETTER, "d", "dead", Place.QUEUE, Place.JOB, footer=6),
    _act(Verb.REQUEUE, "R", "requeue", *_ACTED, Place.ERRORS, footer=6),
    _act(Verb.REMOVE, "x", "remove", Place.QUEUE, Place.JOB, Place.ERRORS, footer=5),
    _act(Verb.EXTEND, "e", "extend", Place.QUEUE, Place.JOB, footer=4),
    _act(Verb.PAUSE, "P", "pause", Place.OVERVIEW, Place.QUEUE, Place.DOCTOR, footer=4),
    _act(Verb.LIMIT, "L", "limit", Place.OVERVIEW, Place.QUEUE),
    Command("freeze", ("z",), "freeze", "hold the numbers still, or let them go on", _LIST),
    Command("yes", ("y",), "do it", "give the answer yes", _DIALOG),
    Command("no", ("escape", "n"), "leave", "give the answer no; stop an act that runs", _DIALOG),
    Command("answer", ("enter",), "answer", "give the answer in front", _DIALOG),
    Command("next-answer", ("right", "tab", "down"), "next", "the next answer", _DIALOG, "step(1)"),
    Command("previous-answer", ("left", "shift+tab", "up"), "before", "the answer before", _DIALOG, "step(-1)"),
    Command("close", ("escape", "question_mark", "f1", "left"), "close", "close the help", (Place.HELP,), footer=9),
    Command("copy", ("y",), "copy", "copy the name, id or value", _COPIED),
    Command("payload", ("enter", "o"), "data", "the data: folded, as text, as hex", (Place.JOB,), footer=7),
    Command("flow", ("F",), "flow", "the whole family of the job", (Place.JOB,), footer=6),
    Command("play-pause", ("space",), "pause", "stop the recording, or go on", _REPLAY, "app.play_pause", footer=9),
    Command(
        "errors",
        ("f",),
        "errors",
        "dead jobs grouped by error",
        (Place.OVERVIEW, Place.QUEUE, Place.DOCTOR),
        footer=6,
    ),
    Command("findings", ("D",), "doctor", "what is wrong with the queue, and what helps", (Place.QUEUE,), footer=7),
    Command("all-findings", ("D",), "doctor", "what is wrong anywhere, and what helps", (Place.OVERVIEW,), footer=7),
    Command("charts", ("c",), "charts", "what the queue was like", (Place.OVERVIEW, Place.QUEUE), footer=5),
    Command("events", ("E",), "events", "what the queue announces", (*_TABS, Place.ERRORS), footer=5),
    Command("all-events", ("E",), "events", "what all queues announce", (Place.OVERVIEW,), footer=5),
    Command("server", ("i",), "server", "who answers, what asking costs, what is withheld", (*_ACTED, Place.DOCTOR)),
    Command("audit", ("A",), "audit", "what was done from here", (*_ACTED, Place.DOCTOR, Place.ERRORS)),
    Command("span", ("w",), "span", "5 minutes, an hour or a day", (Place.CHARTS,), footer=9),
    Command("utc", ("U",), "UTC", "times in UTC, or in your zone", (Place.CHARTS, Place.EVENTS), footer=6),
    Command("next-failure", ("n",), "failure", "the next failure", (Place.EVENTS,), "failure(1)", footer=7),
    Command("previous-failure", ("N",), "before", "the failure before", (Place.EVENTS,), "failure(-1)"),
    Command("undo", ("u",), "undo", "take the act back, as far as that is possible", (Place.AUDIT,), footer=9),
    Command("unfold", ("space",), "unfold", "show the children, or hide them", (Place.FLOW,), footer=7),
    Command("fold", ("enter",), "fold", "fold or unfold what the cursor is on", (Place.PAYLOAD,), footer=7),
    Command("fold-all", ("minus",), "fold all", "fold everything", (Place.PAYLOAD,), "fold_all(True)"),
    Command("unfold-all", ("plus",), "unfold all", "unfold everything", (Place.PAYLOAD,), "fold_all(False)"),
    Command("form", ("tab",), "form", "folded, as text, as hex", (Place.PAYLOAD,), footer=7),
    Command("field", ("shift+tab",), "field", "the next field of the row", (Place.PAYLOAD,), footer=6),
    Command("search", ("slash",), "search", "look for a text", (Place.PAYLOAD,), footer=6),
    Command("next-match", ("n",), "next", "the next match", (Place.PAYLOAD,), "match(1)"),
    Command("previous-match", ("N",), "before", "the match before", (Place.PAYLOAD,), "match(-1)"),
    Command("load", ("m",), "load", "load more of it", (Place.PAYLOAD,), footer=4),
    Command("pager", ("vertical_line",), "pager", "read it in $PAGER", (Place.PAYLOAD,), footer=5),
    Command("editor", ("v",), "editor", "a copy of it in $EDITOR", (Place.PAYLOAD,)),
    Command(
        "copy-row", ("Y",), "copy row", "copy the whole row to the clipboard", (Place.LIST, Place.JOB, Place.PAYLOAD)
    ),
    Command("play-back", ("comma",), "back", "10 seconds of the recording back", _REPLAY, "app.play_seek(-10)"),
    Command("play-on", ("full_stop",), "on", "10 seconds of the recording on", _REPLAY, "app.play_seek(10)"),
    Command("play-back-minute", ("left_curly_bracket",), "back", "a minute back", _REPLAY, "app.play_seek(-60)"),
    Command("play-on-minute", ("right_curly_bracket",), "on", "a minute on", _REPLAY, "app.play_seek(60)"),
    Command("play-faster", ("plus",), "faster", "play the recording faster", _REPLAY, "app.play_faster"),
    Command("play-slower", ("minus",), "slower", "play the recording slower", _REPLAY, "app.play_slower"),
    Command("play-end", ("dollar_sign",), "end", "to the end of the recording", _REPLAY, "app.play_end"),
    _named(Verb.RERUN, Place.QUEUE, Place.JOB),
    _named(Verb.DELAY, Place.QUEUE, Place.JOB),
    _named(Verb.PRIORITIZE, Place.QUEUE, Place.JOB),
    _named(Verb.FREE, Place.QUEUE, Place.JOB),
    _named(Verb.RATE, Place.OVERVIEW, Place.QUEUE),
    _named(Verb.WAKE, Place.OVERVIEW, Place.QUEUE),
    _named(Verb.UNSCHEDULE, Place.QUEUE),
    _named(Verb.DRAIN, Place.OVERVIEW, Place.QUEUE),
    _named(Verb.OBLITERATE, Place.OVERVIEW, Place.QUEUE),
    Command("menu", ("a",), "acts", "the acts that fit here", (*_ACTED, Place.DOCTOR), footer=8),
    Command("palette", ("colon", "ctrl+p"), "commands", "all commands by name", _EVERYWHERE, "screen.palette"),
    Command("choose", ("enter",), "choose", "give the command under the cursor", (Place.PALETTE,)),
    Command("next-entry", ("down", "tab"), "next", "the next command", (Place.PALETTE,), "move(1)"),
    Command("previous-entry", ("up", "shift+tab"), "before", "the command before", (Place.PALETTE,), "move(-1)"),
    Command("leave-palette", ("escape",), "leave", "leave without a command", (Place.PALETTE,), "close"),
    Command("theme", ("t",), "theme", "next theme", _EVERYWHERE, "app.theme"),
    Command("help", ("question_mark", "f1"), "help", "what the keys do", _EVERYWHERE, "app.help", footer=9),
    Command(
        "suspend", ("ctrl+z",), "suspend", "into the background; fg brings it back", _ON_TOP_TOO, "app.suspend_process"
    ),
    Command("quit", ("q", "ctrl+c"), "quit", "leave", (*_EVERYWHERE, *_DIALOG, Place.HELP), "app.quit", footer=9),
)
"""Every command, in the order in which they are shown."""

_LISTS = frozenset({Place.DOCTOR, Place.OVERVIEW, Place.QUEUE, Place.EVENTS, Place.ERRORS, Place.AUDIT, Place.FLOW})
_TEXTS = frozenset({Place.JOB, Place.CHARTS, Place.SERVER, Place.PAYLOAD, Place.HELP})
_ON_TOP = frozenset({Place.DIALOG, Place.HELP, Place.PALETTE})
"""Places that cover the screen below, and its keys."""


def together(place: Place) -> tuple[Place, ...]:
    """The places whose commands can be given on the screen of this one."""
    kinds = {Place.LIST: _LISTS, Place.TEXT: _TEXTS}
    shared = tuple(kind for kind, screens in kinds.items() if place in screens)
    return (place, *shared, *(() if place in _ON_TOP else (Place.REPLAY, Place.ANYWHERE)))


def commands_at(*places: Place) -> tuple[Command, ...]:
    """The commands of some places, in the order of the table."""
    return tuple(command for command in COMMANDS if set(places) & set(command.places))


def bindings(*places: Place) -> list[BindingType]:
    """Textual's form of the commands of some places."""
    return [binding for command in commands_at(*places) for binding in _bindings(command)]


def _bindings(command: Command) -> Iterable[Binding]:
    if command.call == "nth_tab":
        for key in command.keys:
            yield Binding(key, f"nth_tab({int(key) or 10})", command.label, show=False, id=f"{command.id}-{key}")
        return
    # Textual gives a key of the user's only to what has one already: this is one that no terminal sends.
    keys = ",".join(command.keys) or f"{command.id}-by-name"
    yield Binding(keys, command.call, command.label, show=bool(command.footer), id=command.id)
