"""JSON that folds: nothing is lost, nothing blows up."""

import pytest

from emqtop.present.json_tree import JsonTree, NotJson, parse, written
from tests.corpus import HOSTILE, unsafe

ORDER = '{"id": 7, "items": ["a", {"sku": "x1", "price": 1.50}], "note": null, "id": 8}'


def shown(tree: JsonTree) -> list[str]:
    marks = {None: " ", True: "-", False: "+"}
    return [f"{'.' * len(row.path)}{marks[row.is_open]}{row.label}={row.words}" for row in tree.rows()]


def test_rows_keep_order_repeated_keys_and_digits() -> None:
    assert shown(JsonTree(parse(ORDER))) == [
        "-={4}", ". id=7", ".-items=[2]", '.. 0="a"', "..-1={2}", '... sku="x1"', "... price=1.50", ". note=null",
        ". id=8",
    ]  # fmt: skip


def test_fold_and_unfold() -> None:
    tree = JsonTree(parse(ORDER))
    tree.toggle((1,))
    assert shown(tree) == ["-={4}", ". id=7", ".+items=[2]", ". note=null", ". id=8"]
    tree.toggle((0,))
    assert len(tree.rows()) == 5
    tree.fold_all(False)
    assert len(tree.rows()) == 9
    tree.fold_all(True)
    assert len(tree.rows()) == 5
    assert tree.reveal((1, 1, 0)) == 5
    assert tree.rows()[5].words == '"x1"'


def test_long_and_deep_containers_begin_folded() -> None:
    tree = JsonTree(parse('{"long": ' + str(list(range(61))) + ', "a": {"b": {"c": {"d": 1}}}}'))
    assert shown(tree) == ["-={2}", ".+long=[61]", ".-a={1}", "..-b={1}", "...+c={1}"]


@pytest.mark.parametrize(("wanted", "found"), [("SKU", [(1, 1, 0)]), ("1.5", [(1, 1, 1)]), ("7", [(0,)]), ("zz", [])])
def test_search(wanted: str, found: list[tuple[int, ...]]) -> None:
    assert JsonTree(parse(ORDER)).search(wanted) == found


def test_what_is_copied() -> None:
    tree = JsonTree(parse(ORDER))
    assert tree.text((1, 0)) == "a"
    assert tree.text((1, 1)) == '{"sku": "x1", "price": 1.50}'
    assert tree.text(()) == written(parse(ORDER)) == ORDER


@pytest.mark.parametrize("text", ["", "{", "a: 1", "[" * 100_000, "[" * 300 + "]" * 300])
def test_no_json(text: str) -> None:
    with pytest.raises(NotJson):
        parse(text)


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_hostile_keys_and_values(raw: bytes) -> None:
    import json

    text = raw.decode("utf-8", "surrogateescape")
    for row in JsonTree(parse(json.dumps({text: text}))).rows():
        assert not unsafe(row.label + row.words)
