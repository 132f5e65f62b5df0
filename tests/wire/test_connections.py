"""What CLIENT LIST tells of connections."""

from emqtop.wire.connections import LISTING, connection, lines, name_of
from emqtop.wire.resp import Ask, Conversation, Reply, ReplyError
from tests.conftest import Hand


def listing(hand: Hand) -> Reply:
    def ask() -> Conversation[Reply]:
        (reply,) = yield Ask(LISTING, 1)
        return reply

    return hand.link.run(ask())


def test_only_lines_with_a_mark_are_read(valkey: Hand) -> None:
    hands = [Hand(valkey.url) for _ in range(3)]
    for hand, name in zip(hands, ("one", "two", "three"), strict=True):
        hand("CLIENT", "SETNAME", name)
    hands[1]("CLIENT", "SETINFO", "lib-name", "lib")
    hands[1]("CLIENT", "SETINFO", "lib-ver", "1.2")
    marked = lines(listing(valkey), [b" name=t"])
    assert marked is not None
    assert [name_of(line) for line in marked] == [b"two", b"three"]
    found = [connection(line) for line in marked]
    assert [(one.name, one.library, one.is_blocked) for one in found] == [
        (b"two", b"lib 1.2", False),
        (b"three", b"", False),
    ]
    assert found[0].id < found[1].id
    assert {one.age_s for one in found} <= {0, 1}
    for hand in hands:
        hand.link.close()


def test_other_databases_are_left_out_where_one_is_meant(valkey: Hand) -> None:
    hand = Hand(valkey.url)
    hand("CLIENT", "SETNAME", "seen")
    hand("SELECT", 3)
    names = [lines(listing(valkey), [b"seen"], database) for database in (None, 3, 0)]
    assert [None if found is None else len(found) for found in names] == [1, 1, 0]
    hand.link.close()


def test_what_is_refused_or_foreign() -> None:
    assert lines(ReplyError("NOPERM"), [b"x"]) is None
    assert lines(None, [b"x"]) == []
    assert lines(b"name=x\n\nx", [b"x"]) == [b"name=x", b"x"]
    assert (name_of(b"x"), connection(b"x").address) == (b"", b"")
