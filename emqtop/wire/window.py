"""How many asks may be on their way at once, by the distance to the server."""

import math

_SLICE_MS = 0.5
_MOST = 64


def window(rtt_ms: float) -> int:
    """One for a near server, so that its other clients are served in between; more the longer an answer takes.

    Args:
        rtt_ms: shortest time from an ask to its answers so far, ms; infinite: not known, taken as near.
    """
    return 1 if rtt_ms == math.inf else min(max(1, int(rtt_ms / _SLICE_MS)), _MOST)
