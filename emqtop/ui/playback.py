"""Playing a recording: where it is, how fast, and the keys that say so."""

from typing import Protocol, runtime_checkable

from emqtop.sampling.source import Source
from emqtop.ui.widgets.line import Part
from emqtop.units import iso

SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
"""How much faster than it was it can be played by keys."""


@runtime_checkable
class Player(Protocol):
    """A source whose time is the user's to choose; `emqtop.sampling.replay.Replay` is one."""

    @property
    def at_ms(self) -> int:
        """The moment that is played now, Unix ms."""

    @property
    def begin_ms(self) -> int:
        """When it begins, Unix ms."""

    @property
    def end_ms(self) -> int:
        """When it ends, Unix ms."""

    @property
    def speed(self) -> float:
        """How much faster than it was it is played; 0: it stands still."""

    def play(self, speed: float) -> None:
        """Go on from here at another speed."""

    def seek(self, at_ms: int) -> None:
        """Go to a moment, Unix ms."""


class Playback:
    """What keys do to a player.

    Args:
        player: plays the recording.
    """

    def __init__(self, player: Player) -> None:
        self._player = player
        self._speed = player.speed or 1.0

    def seek(self, seconds: float) -> None:
        """Go so many seconds of the recording forth, or back."""
        self._player.seek(self._player.at_ms + round(seconds * 1_000))

    def to_end(self) -> None:
        """Go to the last moment."""
        self._player.seek(self._player.end_ms)

    def pause(self) -> None:
        """Stand still, or go on as before."""
        if self._player.speed:
            self._speed = self._player.speed
            self._player.play(0)
        else:
            self._player.play(self._speed)

    def faster(self) -> None:
        """The next speed of `SPEEDS`."""
        self._play(next((speed for speed in SPEEDS if speed > self._speed), self._speed))

    def slower(self) -> None:
        """The speed of `SPEEDS` before."""
        self._play(next((speed for speed in reversed(SPEEDS) if speed < self._speed), self._speed))

    def _play(self, speed: float) -> None:
        self._speed = speed
        self._player.play(speed)

    def parts(self, utc: bool) -> tuple[Part, ...]:
        """The time that is played, in UTC or the user's zone, how fast, and how far it is."""
        player = self._player
        moment = iso(player.at_ms, utc)[:19].replace("T", " ")
        length = player.end_ms - player.begin_ms
        share = 100 if length <= 0 else 100 * (player.at_ms - player.begin_ms) // length
        state = "paused" if not player.speed else "end" if player.at_ms >= player.end_ms else f"×{player.speed:g}"
        return Part("  "), Part(f"recorded {moment}", "key"), Part(f" {state} {share} %", "bar")


def playback_of(source: Source) -> Playback | None:
    """What plays a source; None where it is not a recording."""
    return Playback(source) if isinstance(source, Player) else None
