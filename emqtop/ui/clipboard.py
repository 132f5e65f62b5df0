"""Copying to the terminal's clipboard by OSC 52, said honestly: nobody answers whether it was taken."""

from dataclasses import dataclass

from textual.app import App
from textual.screen import Screen

from emqtop.model.queue import QueueId
from emqtop.text import safe
from emqtop.ui.widgets.line import Part
from emqtop.units import size

MOST_BYTES = 74_994
"""Bytes that are sent at once: as base64 100,000 letters, more than which terminals and multiplexers drop unseen."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What is to be copied."""

    what: str
    """What it is, in a word or two."""
    text: str
    """The text, as the server has it."""


def clean(text: str) -> str:
    """The text without signs that could do something where it is pasted; line feeds and tabs stay."""
    kept = ("\t".join(safe(piece) for piece in line.split("\t")) for line in text.split("\n"))
    return "\n".join(kept)


def copy(app: App[int], copied: Copied) -> Part:
    """Send it to the terminal, plain, as tmux with set-clipboard takes it too; returns what to tell the user."""
    text = clean(copied.text)
    length = len(text.encode("utf-8", "replace"))
    if not text:
        return Part(f"{copied.what}: there is nothing to copy", "warn")
    if length > MOST_BYTES:
        return Part(f"{copied.what} has {size(length)}, a clipboard takes {size(MOST_BYTES)} from here", "warn")
    app.copy_to_clipboard(text)
    made = ", controls made visible" if text != copied.text else ""
    return Part(f"{copied.what} ({size(length)}{made}) sent to the terminal's clipboard, if it allows that")


class Copies(Screen[None]):
    """A screen from which one can copy."""

    def queue_meant(self) -> QueueId | None:
        """The queue that a command about one queue is about."""
        raise NotImplementedError

    def job_meant(self) -> str | None:
        """The job that a command about one job is about."""
        raise NotImplementedError

    def say(self, words: str, tone: str = "plain") -> None:
        """Put safe words onto the status line, until the next ones."""
        raise NotImplementedError

    def copied(self) -> Copied | None:
        """What `copy` takes here: the id of the job, else the name of the queue."""
        if (job := self.job_meant()) is not None:
            return Copied("id", job)
        return None if (queue := self.queue_meant()) is None else Copied("name", queue.name)

    def copied_row(self) -> Copied | None:
        """What `copy row` takes here."""
        return None

    def action_copy(self) -> None:
        """Copy the id, the name, or what is in front."""
        self._copy(self.copied())

    def action_copy_row(self) -> None:
        """Copy the row."""
        self._copy(self.copied_row())

    def _copy(self, copied: Copied | None) -> None:
        told = Part("nothing is chosen", "warn") if copied is None else copy(self.app, copied)
        self.say(told.text, told.tone)
