"""Free loopback ports for servers that several test processes start at the same time."""

import random
import socket

# Below the range that outgoing connections take their ports from: a stopped server finds its own port free again.
_RANGE = range(15_000, 32_000)
_dice = random.SystemRandom()


def free_port() -> int:
    """A port that nobody listens on now; whoever starts a server on it must be ready to ask for another.

    Raises:
        OSError: none of a hundred was free.
    """
    for _ in range(100):
        port = _dice.choice(_RANGE)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("no free port on 127.0.0.1")
