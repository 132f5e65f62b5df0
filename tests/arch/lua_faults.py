"""What is wrong with the Lua scripts of a folder, read as text."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

LABELS = ("KEYS", "ARGV", "Returns", "Refuses", "Cost")
KEYLESS = {"TIME"}

_NAME = re.compile(r"[a-z_]+-([0-9]+)")
_INCLUDE = re.compile(r"^--@include (\w+)$", re.MULTILINE)
_FUNCTION = re.compile(r"^local function (\w+)", re.MULTILINE)
_COMMAND = re.compile(r"redis\.p?call\(\s*([^,)]+)(?:,\s*([^,)]+))?")
_KEY = re.compile(r"\bKEYS\[([^\]]+)\]")


@dataclass(frozen=True)
class Lua:
    """One file, apart into header and code."""

    path: Path
    """Where it lies."""
    header: dict[str, str]
    """Text by label, continuation lines joined; `purpose` is what stands above the labels."""
    includes: tuple[str, ...]
    """Fragments it names itself."""
    code: str
    """The rest, without comments."""
    functions: tuple[str, ...] = field(default=())
    """Functions it defines at top level."""


def read(path: Path) -> Lua:
    """One script or fragment."""
    text = path.read_text("utf-8")
    comment = []
    for line in text.splitlines():
        if not line.startswith("--") or line.startswith("--@"):
            break
        comment.append(line[2:].strip())
    header = {"purpose": ""}
    label = "purpose"
    for line in comment:
        name, colon, rest = line.partition(": ")
        if colon and name in LABELS:
            label, line = name, rest
        header[label] = f"{header.get(label, '')} {line}".strip()
    code = re.sub(r"--.*", "", text)
    return Lua(path, header, tuple(_INCLUDE.findall(text)), code, tuple(_FUNCTION.findall(code)))


def fragments(folder: Path) -> dict[str, Lua]:
    """The fragments by name."""
    return {path.stem: read(path) for path in sorted((folder / "include").glob("*.lua"))}


def scripts(folder: Path) -> list[Lua]:
    """The scripts, by name."""
    return [read(path) for path in sorted(folder.glob("*.lua"))]


def spliced(lua: Lua, known: dict[str, Lua]) -> list[Lua]:
    """The file and all the fragments that end up in it."""
    found = {lua.path.stem: lua}
    waiting = list(lua.includes)
    while waiting:
        name = waiting.pop()
        if name in known and name not in found:
            found[name] = known[name]
            waiting += known[name].includes
    return list(found.values())


def faults(folder: Path, callers: set[str]) -> list[str]:
    """Every fault of the scripts of a folder, as `file: what`; callers are the verbs that Python asks for."""
    known = fragments(folder)
    found = []
    used: set[str] = set()
    for lua in scripts(folder):
        used |= {part.path.stem for part in spliced(lua, known)}
        texts = [*_name_faults(lua, callers), *_header_faults(lua), *_key_faults(lua)]
        found += [f"{lua.path.name}: {text}" for text in texts]
    for lua in [*scripts(folder), *known.values()]:
        texts = [*_include_faults(lua, known), *_command_faults(lua)]
        found += [f"{lua.path.name}: {text}" for text in texts]
    return found + [f"include/{name}.lua: no script includes it" for name in sorted(set(known) - used)]


def commands(lua: Lua, known: dict[str, Lua]) -> set[str]:
    """The commands that a script may send, its fragments' included."""
    return {name.strip("'\"").upper() for part in spliced(lua, known) for name, _ in _COMMAND.findall(part.code)}


def _name_faults(lua: Lua, callers: set[str]) -> Iterator[str]:
    if _NAME.fullmatch(lua.path.stem) is None:
        yield "is not named verb-N.lua"
    elif not any(re.fullmatch(caller, lua.path.stem.rpartition("-")[0]) for caller in callers):
        yield "no caller"


def _header_faults(lua: Lua) -> Iterator[str]:
    if not re.match(r"[A-Z].*\.$", lua.header["purpose"]):
        yield "no purpose"
    yield from (f"no {label}" for label in LABELS if not lua.header.get(label))
    if not lua.header.get("Cost", "").endswith(("; reads", "; writes")):
        yield "does not say whether it reads or writes"


def _key_faults(lua: Lua) -> Iterator[str]:
    """The keys that are declared, named and used are the same; `*` marks one that a fragment reaches by its name."""
    match = _NAME.fullmatch(lua.path.stem)
    declared = int(match[1]) if match else 0
    named = [item.strip() for item in lua.header.get("KEYS", "").split(", ") if re.match(r"[0-9]+ ", item.strip())]
    numbers = [int(item.split()[0]) for item in named]
    if numbers != list(range(1, declared + 1)):
        yield f"declares {declared} keys, names {len(numbers)}"
    touched = set(_KEY.findall(lua.code))
    if any(not number.isdigit() for number in touched):
        return
    reached = {number for number, item in zip(numbers, named, strict=True) if item.endswith("*")}
    if {int(number) for number in touched} | reached != set(numbers):
        yield f"names keys {numbers}, uses {sorted(touched)}"


def _include_faults(lua: Lua, known: dict[str, Lua]) -> Iterator[str]:
    for name in lua.includes:
        if name not in known:
            yield f"includes {name}, which is missing"
        elif not any(_calls(lua, function) for part in spliced(known[name], known) for function in part.functions):
            yield f"includes {name}, but uses nothing of it"
    present = {function for part in spliced(lua, known) for function in part.functions}
    for function in {function for part in known.values() for function in part.functions} - present:
        if _calls(lua, function):
            yield f"calls {function} without its fragment"


def _command_faults(lua: Lua) -> Iterator[str]:
    for name, key in _COMMAND.findall(lua.code):
        if not re.fullmatch(r"'[A-Z]+'", name):
            yield f"sends a command that is not spelled out: {name}"
        elif key.startswith(("'", '"')):
            yield f"touches a key of its own: {name} {key}"
        elif not key and name.strip("'") not in KEYLESS:
            yield f"sends {name} without a key"


def _calls(lua: Lua, function: str) -> bool:
    return re.search(rf"\b{function}\(", lua.code) is not None


def callers(package: Path) -> set[str]:
    """What Python asks the loader for, as patterns: `call("claim", …)`, `script(name)`, `call(f"operator_{verb}", …)`.

    Where the name is no constant, any text of that module may be it, or stand in its gaps.
    """
    found: set[str] = set()
    for path in package.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        texts = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        words = {re.escape(text) for text in texts if re.fullmatch(r"[a-z_]+", text)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"call", "script"}:
                found |= _patterns(node.args[0] if node.args else None, words)
    return found


def _patterns(name: ast.expr | None, words: set[str]) -> set[str]:
    match name:
        case ast.Constant(value=str() as text):
            return {re.escape(text)}
        case ast.JoinedStr(values=parts):
            gap = f"(?:{'|'.join(sorted(words))})"
            return {"".join(re.escape(str(p.value)) if isinstance(p, ast.Constant) else gap for p in parts)}
        case _:
            return words
