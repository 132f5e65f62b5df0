"""How one node's queues are looked for, beside the reading of them: what goes first, and at what price."""

import time
from collections.abc import Iterable

from emqtop.sampling.discovery import COUNT, FIRST_LOOK, Discovery
from emqtop.sampling.outline import Outline
from emqtop.sampling.pace import NEAR_COUNT, NEAR_MS, Pace, paced
from emqtop.wire.link import Link

SWEEPS_A_SECOND = 30
"""SCAN calls a second at most, once the keyspace has been seen whole."""
SWEEP_S = 5.0
"""What a sweep takes at least from then on, in seconds, where one call is not enough."""
FIRST_SHARE = 0.05
"""Part of a near server's time that the search may take until every queue with jobs was met."""
SHARE = 0.01
"""The same from then on."""
FIRST_FAR_SHARE, FAR_SHARE = 0.6, 0.25
"""Part of the time that a far link may be waited on, likewise."""
SMALL = 20_000
"""Keys up to which a near server's keyspace is looked through name by name, without an outline."""
THOROUGH_S = 600.0
"""How often a sweep looks at the state of every row again, in seconds."""
REFUSED_S = 10.0
"""How long a server that withholds SCAN is left in peace, in seconds."""

_LOOK_S = 1.0
# A sample that waits longer for one node than for the others takes it for lost.
_PIECE_S = 0.6


class Seeker:
    """The search for queues on one node: a look, then an outline until it is whole, then it and a sweep by turns.

    Args:
        discovery: what was met.
        link: asked for it, and for nothing else meanwhile.
    """

    def __init__(self, discovery: Discovery, link: Link) -> None:
        self._discovery = discovery
        self._link = link
        self._outline = Outline(discovery)
        self._pace, self._outline_pace = Pace(), Pace()
        self._went_on_at = 0.0
        self._swept = False
        self._thorough_at = -THOROUGH_S
        # Whoever holds a row back gives it a counter of children too, so the first sweep can do without the rows.
        discovery.thorough = False

    async def look(self, names: Iterable[str]) -> None:
        """A random sample of the keyspace, longer where it keeps finding queues; all of a small one, and its rows.

        Args:
            names: asked for before.
        """
        discovery = self._discovery
        if names:
            discovery.ask_for_names(names)
            await self._link.hold(discovery.finish())
        calls, pace = (FIRST_LOOK // 5, self._pace) if self._is_far else (FIRST_LOOK, Pace(COUNT))
        end_s, known, whole = time.monotonic() + _LOOK_S, -FIRST_LOOK, False
        while not whole and discovery.found - known >= FIRST_LOOK and time.monotonic() < end_s:
            known = discovery.found
            whole = await self._link.run(paced(discovery.look, pace, self._link, calls, end_s))
        await self._link.hold(discovery.finish())
        discovery.restart()
        end_s += _LOOK_S
        while whole and discovery.sweeps == 0 and discovery.refused is None and time.monotonic() < end_s:
            await self._walk(calls, end_s)

    async def go_on(self, now_s: float) -> None:
        """A piece of the search, as large as the time since the last one allows.

        Args:
            now_s: on the monotonic clock.
        """
        discovery = self._discovery
        if discovery.refused is not None:
            if now_s < self._went_on_at + REFUSED_S:
                return
            self._outline.refused = False
        passed_s = min(1.0, now_s - self._went_on_at) if self._went_on_at else 0.25
        is_first, self._went_on_at = not self._went_on_at, now_s
        if is_first and self._is_far:
            # The first numbers wait for nothing more.
            return
        draws = self._has_outline and (not discovery.is_whole or self._swept)
        self._swept = not draws
        if draws:
            await self._draw(passed_s)
        if not draws or self._outline.refused:
            await self._sweep(passed_s, now_s)

    @property
    def _is_far(self) -> bool:
        return self._link.rtt_ms > NEAR_MS

    @property
    def _has_outline(self) -> bool:
        is_small = self._discovery.sweeps > 0 and self._discovery.keys_before <= SMALL
        return not self._outline.refused and (self._is_far or not is_small)

    async def _draw(self, passed_s: float) -> None:
        calls, end_s = self._calls(passed_s, self._outline_pace), time.monotonic() + _PIECE_S
        await self._link.run(paced(self._outline.walk, self._outline_pace, self._link, calls, end_s))
        await self._link.hold(self._discovery.finish())

    async def _sweep(self, passed_s: float, now_s: float) -> None:
        discovery = self._discovery
        sweeps, calls = discovery.sweeps, self._calls(passed_s, self._pace)
        if sweeps and not discovery.thorough:
            # A small keyspace need not be seen whole many times a second.
            a_second = min(SWEEPS_A_SECOND, discovery.keys_before / NEAR_COUNT / SWEEP_S)
            calls = min(calls, max(1, int(passed_s * a_second)))
        await self._walk(calls, time.monotonic() + _PIECE_S)
        if discovery.sweeps > sweeps:
            self._thorough_at = now_s if discovery.thorough else self._thorough_at
            discovery.thorough = now_s > self._thorough_at + THOROUGH_S

    async def _walk(self, calls: int, end_s: float) -> None:
        await self._link.run(paced(self._discovery.walk, self._pace, self._link, calls, end_s))
        await self._link.hold(self._discovery.finish())

    def _calls(self, passed_s: float, pace: Pace) -> int:
        """How many calls a walk may make for the time that passed."""
        is_whole = self._discovery.is_whole
        if self._is_far:
            share, call_ms = FAR_SHARE if is_whole else FIRST_FAR_SHARE, self._link.rtt_ms
        else:
            share, call_ms = SHARE if is_whole else FIRST_SHARE, pace.call_ms(self._link.rtt_ms)
        return max(1, int(passed_s * 1000 * share / call_ms))
