"""The audit file: what a line holds, what a crash leaves, who may read it, when it turns over."""

import json
import os
import stat
from datetime import datetime
from pathlib import Path

import pytest

from emqtop.acting import audit as audit_file
from emqtop.acting.audit import Audit, state_folder
from emqtop.acting.journal import Journal
from emqtop.model.actions import Order, Outcome, Reason, Skip, Verb
from emqtop.model.queue import Family, QueueId

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
REMOVE = Order(Verb.REMOVE, ORDERS, force=True)


def test_a_line_says_who_did_what_where_and_with_what_result(audit: Audit) -> None:
    name = audit.begin(REMOVE, ("a", "b"), count=2, selection="2 by id", errors={"boom": 2}, undoable=True)
    audit.end(name, Outcome(Verb.REMOVE, ORDERS, 2, 1, skipped=(Skip("b", Reason.LOCKED, "marked"),)))
    (entry,) = audit.entries()
    assert (entry.id, entry.server, entry.verb, entry.queue) == (name, "redis://test", Verb.REMOVE, ORDERS)
    assert (entry.ids, entry.count, entry.errors, entry.options) == (("a", "b"), 2, {"boom": 2}, {"force": True})
    assert entry.who.endswith(f"@{os.uname().nodename}")
    assert datetime.fromisoformat(entry.at).tzinfo is not None
    assert entry.result is not None
    assert (entry.result["moved"], entry.result["reasons"]) == (1, {"locked": 1})


def test_an_act_that_never_ended_is_seen_as_such(audit: Audit) -> None:
    audit.begin(REMOVE, ("a",), count=1)
    (entry,) = audit.entries()
    assert (entry.ended, entry.result) == (None, None)


@pytest.mark.parametrize(
    ("jobs", "named", "ends"), [(1_000, 1_000, ()), (1_001, 0, ("0", "1000"))], ids=["in-full", "by-number"]
)
def test_ids_are_named_in_full_up_to_a_thousand(audit: Audit, jobs: int, named: int, ends: tuple[str, ...]) -> None:
    ids = tuple(map(str, range(jobs)))
    name = audit.begin(REMOVE, ids, count=jobs, selection="all dead")
    audit.end(name, Outcome(Verb.REMOVE, ORDERS, jobs, jobs), ids)
    (entry,) = audit.entries()
    assert (entry.ids, entry.ends, entry.count, entry.selection) == (ids[:named], ends, jobs, "all dead")
    assert entry.result is not None
    assert (entry.result["moved_ids"], entry.result["moved_ends"]) == (list(ids[:named]), list(ends))


def test_a_line_of_an_older_emqtop_is_read(audit: Audit) -> None:
    audit.begin(REMOVE, ("a",), count=1)
    path = audit.folder / "audit.jsonl"
    path.write_text(path.read_text().replace(',"ends":[]', ""))
    assert [(entry.ids, entry.ends) for entry in audit.entries()] == [(("a",), ())]


def test_only_the_user_may_read_it(audit: Audit) -> None:
    audit.begin(REMOVE, ("a",), count=1)
    Journal(audit.folder, "x").keep([{"id": "a"}])
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in audit.folder.rglob("*")}
    assert modes == {"audit.jsonl": 0o600, "audit.lock": 0o600, "journal": 0o700, "x.jsonl": 0o600}
    assert stat.S_IMODE(audit.folder.stat().st_mode) == 0o700


def test_it_turns_over_by_size_and_keeps_the_file_before(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_file, "FULL_BYTES", 2_000)
    names = [audit.begin(REMOVE, ("a",), count=1) for _ in range(20)]
    kept = [entry.id for entry in audit.entries()]
    assert kept == names[-len(kept) :]
    assert 3 < len(kept) < 20
    assert sorted(path.name for path in audit.folder.glob("*.jsonl")) == ["audit.1.jsonl", "audit.jsonl"]


def test_a_broken_line_hides_no_other(audit: Audit) -> None:
    audit.begin(REMOVE, ("a",), count=1)
    with (audit.folder / "audit.jsonl").open("ab") as file:
        file.write(b'{"id": "cut off\n\xff\n[]\n{"id": "strange", "event": "begun"}\n')
    audit.begin(REMOVE, ("b",), count=1)
    assert [entry.ids for entry in audit.entries()] == [("a",), ("b",)]


def test_a_line_that_was_cut_off_takes_no_other_with_it(audit: Audit) -> None:
    first, _ = (audit.begin(REMOVE, (job,), count=1) for job in "ab")
    path = audit.folder / "audit.jsonl"
    os.truncate(path, path.stat().st_size - 20)
    third = audit.begin(REMOVE, ("c",), count=1)
    assert [entry.id for entry in audit.entries()] == [first, third]


def test_foreign_bytes_survive(audit: Audit) -> None:
    queue = QueueId(Family.BULLMQ, "bull", "caf\udce9\x1b]0;x\x07")
    audit.begin(Order(Verb.REQUEUE, queue), ("i\udcffd",), count=1)
    (entry,) = audit.entries()
    assert (entry.queue, entry.ids) == (queue, ("i\udcffd",))
    assert all(0x20 <= byte < 0x7F or byte == 0x0A for byte in (audit.folder / "audit.jsonl").read_bytes())


@pytest.mark.parametrize(("home", "wanted"), [("/var/state", "/var/state/emqtop"), ("relative", None), ("", None)])
def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, home: str, wanted: str | None) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", home)
    assert state_folder() == (Path(wanted) if wanted else Path.home() / ".local/state/emqtop")


def test_the_journal_knows_what_moved_and_what_was_under_way(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "entry")
    journal.keep([{"id": "a"}, {"id": "b"}])
    journal.moved(["a"])
    journal.keep([{"id": "c"}])
    assert [record["id"] for record in journal.records()] == ["a", "c"]
    lines = (tmp_path / "journal" / "entry.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines][2] == {"moved": ["a"]}


def test_the_oldest_journals_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emqtop.acting.journal.MOST_BYTES", 100)
    for name in ("1", "2", "3", "4"):
        Journal(tmp_path, name).keep([{"id": "x" * 22}])
    sizes = {path.stem: path.stat().st_size for path in (tmp_path / "journal").iterdir()}
    assert sizes == {"2": 40, "3": 40, "4": 40}
