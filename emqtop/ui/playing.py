"""An app whose source may be a recording, which keys wind back and forth."""

from collections.abc import Callable

from emqtop.sampling.source import Source
from emqtop.ui.acting import Acting
from emqtop.ui.playback import Playback, playback_of


class Playing(Acting):
    """What the keys of a replay do; they are not there where the source is no recording."""

    source: Source
    _playback: Playback | None = None

    @property
    def playback(self) -> Playback | None:
        """What plays the source; None where it is no recording."""
        if self._playback is None:
            self._playback = playback_of(self.source)
        return self._playback

    def resample(self) -> None:
        """Ask the source at once."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Take the keys away where nothing is played."""
        return self.playback is not None if action.startswith("play_") else super().check_action(action, parameters)

    def action_play_seek(self, seconds: float) -> None:
        """Go so many seconds forth, or back."""
        self._wind(lambda playback: playback.seek(seconds))

    def action_play_end(self) -> None:
        """Go to the last moment."""
        self._wind(Playback.to_end)

    def action_play_pause(self) -> None:
        """Stand still, or go on."""
        self._wind(Playback.pause)

    def action_play_faster(self) -> None:
        """Play faster."""
        self._wind(Playback.faster)

    def action_play_slower(self) -> None:
        """Play slower."""
        self._wind(Playback.slower)

    def _wind(self, turn: Callable[[Playback], None]) -> None:
        if self.playback is not None:
            turn(self.playback)
            self.resample()
            if (front := self.front()) is not None:
                front.draw_top()
