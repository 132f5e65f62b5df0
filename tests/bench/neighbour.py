"""Another client of the same server, in a process of its own: how long does it wait for each PING?"""

import json
import subprocess
import sys
import time
from typing import Self

from tests.bench.gauges import quantile

_WAITS = """
import json, select, socket, sys, time
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
waits = []
while not select.select([sys.stdin], [], [], 0)[0]:
    began = time.perf_counter()
    link.sendall(b"PING\\r\\n")
    link.recv(64)
    waits.append((time.perf_counter() - began) * 1000)
    time.sleep(0.0005)
print(json.dumps(waits))
"""


class Neighbour:
    """A context manager: pings all through the block, then knows how it was served.

    Args:
        path: unix socket.
    """

    def __init__(self, path: str) -> None:
        self.waits_ms: list[float] = []
        """Every wait."""
        self._path = path

    @property
    def p99_ms(self) -> float:
        """What 99 of 100 waits do not exceed."""
        return quantile(self.waits_ms, 0.99)

    @property
    def most_ms(self) -> float:
        """The longest wait."""
        return max(self.waits_ms)

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", _WAITS, self._path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        time.sleep(0.2)
        return self

    def __exit__(self, *_: object) -> None:
        told, _ = self._process.communicate(b"stop\n", timeout=30)
        self.waits_ms = json.loads(told or b"[0]")
