"""The scripts of the installed package are those that the acts were checked with."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

import pytest

from emqtop.wire.bullmq import library_scripts
from emqtop.wire.bullmq.library_scripts import CHECKED, NotShipped, in_transaction
from emqtop.wire.bullmq.msgpack import packed
from emqtop.wire.resp import pack


def folder() -> Path:
    spec = find_spec("bullmq")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "commands"


@pytest.mark.parametrize("name", CHECKED)
def test_sha_of_each_file(name: str) -> None:
    assert hashlib.sha1((folder() / f"{name}.lua").read_bytes()).hexdigest() == CHECKED[name]


def test_another_text_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "promote-9.lua").write_text("return 0")
    monkeypatch.setattr(library_scripts, "_folder", lambda: tmp_path)
    library_scripts._script.cache_clear()
    with pytest.raises(NotShipped, match="checked"):
        library_scripts.library_call("promote-9", ())
    with pytest.raises(NotShipped, match=r"no pause-7\.lua"):
        library_scripts.library_call("pause-7", ())
    library_scripts._script.cache_clear()


def test_without_the_package_the_words_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_scripts, "find_spec", lambda _: None)
    library_scripts._script.cache_clear()
    with pytest.raises(NotShipped, match="pip install"):
        library_scripts.library_call("promote-9", ())
    library_scripts._script.cache_clear()


def test_a_transaction_carries_each_body_once() -> None:
    one = library_scripts.library_call("promote-9", (b"k",) * 9, "1")
    other = library_scripts.library_call("promote-9", (b"k",) * 9, "2")
    payload, replies = in_transaction([one, pack("PING"), other])
    assert replies == 5
    assert payload == pack("MULTI") + one.by_body() + pack("PING") + other.by_sha() + pack("EXEC")


@pytest.mark.parametrize(
    "value", [None, 0, -1, 2**53, "", "a", "ü", ["defa", "x"], {"token": "t", "keepJobs": {"count": -1}, "name": None}]
)
def test_msgpack_reads_back(value: object) -> None:
    msgpack = pytest.importorskip("msgpack")
    assert msgpack.unpackb(packed(value), raw=False) == value  # type: ignore[arg-type]
