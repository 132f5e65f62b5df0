"""Taking the screen over from a frame that stands there already."""

import threading
from typing import Any, Protocol

from textual.drivers.linux_driver import LinuxDriver

from emqtop.model.snapshot import Snapshot

_OTHER_SCREEN = "\x1b[?1049h"


class Begun(Protocol):
    """A frame that was drawn before the dashboard could."""

    snapshot: Snapshot
    """What it shows; empty where there was no answer yet."""
    arrived_s: float
    """When that came in, seconds of the monotonic clock."""

    def take(self) -> list[Any]:
        """Draw no more; returns the modes that the terminal had at first, as termios has them."""


def takeover(begun: Begun, attended: threading.Event) -> "type[LinuxDriver]":
    """Textual's driver for a screen that shows something: it is drawn over, not cleared first.

    Args:
        begun: what it shows.
        attended: set once there is somebody to take keys; until then the terminal keeps them.
    """

    class Takeover(LinuxDriver):
        """Begins once where the frame ended; after a suspension like any other."""

        def start_application_mode(self) -> None:
            if self.attrs_before is not None:
                super().start_application_mode()  # type: ignore[no-untyped-call]
                return
            modes = begun.take()
            super().start_application_mode()  # type: ignore[no-untyped-call]
            self.attrs_before = modes

        def write(self, data: str) -> None:
            # Terminals clear the other screen when they are told to show it, even where they show it already.
            if data != _OTHER_SCREEN or self.attrs_before is not None:
                super().write(data)

        def run_input_thread(self) -> None:
            while not attended.wait(0.02) and not self.exit_event.is_set():
                pass
            super().run_input_thread()

    return Takeover
