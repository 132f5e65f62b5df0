"""The tail of events on the command line."""

import json
import threading

from emqtop.cli.console import Exit
from tests.cli.conftest import Stock, python
from tests.conftest import Hand


def test_events_are_told_as_they_come(stock: Stock) -> None:
    ended = threading.Event()
    other = Hand(stock.valkey.url)

    def work() -> None:
        while not ended.wait(0.02):
            other("PUBLISH", stock.keys.events, f'{{"event":"completed","job":"{stock.active}","n":"\x1b"}}')

    thread = threading.Thread(target=work)
    thread.start()
    try:
        done = python("events", "orders", "--seconds", "2", "--json", "--url", stock.valkey.url)
    finally:
        ended.set()
        thread.join()
        other.link.close()
    assert (done.returncode, done.stderr) == (Exit.DONE, b"")
    told = json.loads(done.stdout.splitlines()[0])
    assert told.pop("at_ms") > 0
    assert told == {
        "family": "echomq",
        "prefix": "emq",
        "queue": "orders",
        "event": "completed",
        "job": stock.active,
        "extra": {"n": "␛"},
    }
