"""How many asks may be on their way at once, by the distance to the server."""

import math

_SLICE_MS = 0.5
_LEAST, _MOST = 2, 64


def window(rtt_ms: float) -> int:
    """Two for a near server: it answers one while the next is made, and serves its other clients in between.

    More the longer an answer takes.

    Args:
        rtt_ms: shortest time from an ask to its answers so far, ms; infinite: not known, taken as near.
    """
    return _LEAST if rtt_ms == math.inf else min(max(_LEAST, int(rtt_ms / _SLICE_MS)), _MOST)
