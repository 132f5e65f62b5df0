"""When Python looks for unreachable cycles.

Its search goes through every object that lives: 155 to 200 ms with ten thousand queues, in which no key is answered,
and a quarter of the time in which they are read. What is read of queues has no cycles, so the search finds nothing.
"""

import gc

RARELY = (50_000, 20, 1_000)
"""Objects between two searches through the young, and searches until one through the older ones and through all."""


def look_rarely() -> None:
    """Search seldom; called before anything large is imported or read."""
    gc.set_threshold(*RARELY)


def spare() -> None:
    """Leave alone from now on whatever lives already; called once, when everything was read a first time."""
    gc.freeze()
