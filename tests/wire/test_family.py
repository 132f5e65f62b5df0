"""Any key to its queue: both layouts, hostile names, several prefixes."""

import pytest

from emqtop.wire.family import Evidence, Layout, Trace, settle, trace, trace_any
from emqtop.wire.resp import Arg
from tests.conftest import Hand

JOB = b"JOB0NgWEfAEJfs"
PREFIXES = (b"emq", b"bull")
E, B, EITHER, MAYBE = Evidence.ECHOMQ, Evidence.BULLMQ, Evidence.EITHER, Evidence.MAYBE


@pytest.mark.parametrize(
    ("key", "base", "evidence"),
    [
        (b"emq:{q}:pending", b"emq:{q}:", E),
        (b"emq:{q}:schedule", b"emq:{q}:", E),
        (b"emq:{q}:dead", b"emq:{q}:", E),
        (b"emq:{q}:wake", b"emq:{q}:", E),
        (b"emq:{q}:ring", b"emq:{q}:", E),
        (b"emq:{q}:flow:outbox", b"emq:{q}:", E),
        (b"emq:{q}:g:PRT0NgWEfAEJfs:pending", b"emq:{q}:", E),
        (b"emq:{q}:job:" + JOB, b"emq:{q}:", E),
        (b"emq:{q}:job:" + JOB + b":logs", b"emq:{q}:", E),
        (b"emq:{q}:stream:x", b"emq:{q}:", E),
        (b"emq:{q}:active", b"emq:{q}:", EITHER),
        (b"emq:{q}:meta", b"emq:{q}:", EITHER),
        (b"emq:{q}:metrics:completed", b"emq:{q}:", EITHER),
        (b"emq:{q}:repeat:nightly}:x", b"emq:{q}:", EITHER),
        (b"emq:{q}:wait", b"emq:{q}:", B),
        (b"emq:{q}:17", b"emq:{q}:", B),
        (b"emq:{q}:17:lock", b"emq:{q}:", B),
        (b"emq:{a:b c}:pending", b"emq:{a:b c}:", E),
        (b"emq:{a}b}:pending", b"emq:{a}b}:", E),
        (b"emq:{a}:b}:pending", b"emq:{a}:b}:", E),
        (b"emq:{{a}}:pending", b"emq:{{a}}:", E),
        ("emq:{🐇}:dead".encode(), "emq:{🐇}:".encode(), E),
        (b"emq:{\xff\x00}:dead", b"emq:{\xff\x00}:", E),
        (b"bull:mail:wait", b"bull:mail:", B),
        (b"bull:a:b:meta", b"bull:a:b:", B),
        (b"bull:mail:metrics:failed:data", b"bull:mail:", B),
        (b"bull:mail:17", b"bull:mail:", MAYBE),
        (b"bull:mail:my-id", b"bull:mail:", MAYBE),
        (b"bull:mail:17:lock", b"bull:mail:", MAYBE),
        (b"bull:mail:repeat:x:1790000000000", b"bull:mail:", MAYBE),
        (b"bull:mail:de:abc", b"bull:mail:", MAYBE),
        (b"bull:{mail}x:wait", b"bull:{mail}x:", B),
        (b"emq:plain:wait", b"emq:plain:", B),
    ],
)
def test_a_key_names_its_queue(key: bytes, base: bytes, evidence: Evidence) -> None:
    found = trace(key, PREFIXES)
    assert found is not None
    assert (found.base, found.evidence) == (base, evidence)
    assert key == found.base + found.part


@pytest.mark.parametrize(
    "key",
    [b"{emq}:version", b"{emq}:locks", b"other:{q}:pending", b"emq", b"emqx:{q}:pending", b"bull::relay", b"emq:x"],
)
def test_what_is_no_queues_key_is_left_alone(key: bytes) -> None:
    assert trace(key, PREFIXES) is None


@pytest.mark.parametrize(
    ("prefixes", "prefix", "tag"),
    [
        ((b"bull",), b"bull", b"a:b"),
        ((b"bull", b"bull:a"), b"bull:a", b"b"),
        ((b"bull:a", b"bull"), b"bull:a", b"b"),
    ],
)
def test_the_longest_prefix_counts(prefixes: tuple[bytes, ...], prefix: bytes, tag: bytes) -> None:
    found = trace(b"bull:a:b:wait", prefixes)
    assert found is not None
    assert (found.prefix, found.tag) == (prefix, tag)


def test_a_prefix_may_hold_colons_and_braces() -> None:
    found = trace(b"{app}:x:mail:wait", (b"{app}:x",))
    assert found == Trace(b"{app}:x", b"{app}:x:mail:", Evidence.BULLMQ, b"wait")


@pytest.mark.parametrize(
    ("key", "prefix", "base"),
    [
        (b"app:mail:meta", b"app", b"app:mail:"),
        (b"a:b:mail:meta", b"a:b", b"a:b:mail:"),
        (b"{app}:mail:meta", b"{app}", b"{app}:mail:"),
        (b"app:{a:b}:meta", b"app", b"app:{a:b}:"),
        (b"app:{a}b:meta", b"app", b"app:{a}b:"),
        (b"a:b:{q}:job:" + JOB, b"a:b", b"a:b:{q}:"),
        (b"app:\xff\n:meta", b"app", b"app:\xff\n:"),
    ],
)
def test_a_meta_key_or_an_echomq_row_names_its_prefix(key: bytes, prefix: bytes, base: bytes) -> None:
    found = trace_any(key)
    assert found is not None
    assert (found.prefix, found.base, found.base + found.part) == (prefix, base, key)


@pytest.mark.parametrize("key", [b"meta", b"app:meta", b":mail:meta", b"app::meta", b"app:mail:id", b"app:{q}:job:7"])
def test_other_keys_name_no_prefix(key: bytes) -> None:
    assert trace_any(key) is None


ECHOMQ, BULLMQ = {Layout.ECHOMQ}, {Layout.BULLMQ}


@pytest.mark.parametrize(
    ("base", "writes", "wanted"),
    [
        (b"emq:{q}:", [("ZADD", b"active", 1, JOB)], ECHOMQ),
        (b"emq:{q}:", [("RPUSH", b"active", "1")], BULLMQ),
        (b"emq:{q}:", [("HSET", b"meta", "paused", 1)], ECHOMQ),
        (b"emq:{q}:", [("HSET", b"meta", "opts.maxLenEvents", 9)], BULLMQ),
        (b"emq:{q}:", [("HSET", b"metrics:completed", "count", 9)], ECHOMQ),
        (b"emq:{q}:", [("HSET", b"metrics:completed", "count", 9, "prevTS", 1)], BULLMQ),
        (b"emq:{q}:", [("SADD", b"paused", "PRT0NgWEfAEJfs")], ECHOMQ),
        (b"emq:{q}:", [("ZADD", b"pending", 0, JOB), ("RPUSH", b"wait", 1)], ECHOMQ | BULLMQ),
        (b"emq:{q}:", [("HSET", b"job:x", "state", "y")], set()),
        (b"bull:q:", [("HSET", b"meta", "paused", 1)], BULLMQ),
        (b"bull:q:", [("SET", b"id", 4)], BULLMQ),
        (b"bull:q:", [("ZADD", b"pending", 0, 1)], set()),
        (b"bull:q:", [], set()),
    ],
)
def test_types_and_fields_settle_what_names_leave_open(
    valkey: Hand, base: bytes, writes: list[tuple[Arg, ...]], wanted: set[Layout]
) -> None:
    for verb, part, *rest in writes:
        assert isinstance(part, bytes)
        valkey(verb, base + part, *rest)
    assert valkey.link.hold(settle([base, b"bull:nothing:"])) == [wanted, frozenset()]
