"""The language of `--where` and of the dashboard's filter line.

    attempts>=3 and age>2h          numbers: = != < <= > >=; age in 90s 5m 2h 1d, size in B kB MB
    id=JOB… or group~PRT            texts: = != and ~ !~ for a part; id group error like payload state odd
    error~"timed out" not (a or b)  quotes where a text has blanks or brackets
    like="timeout after <n> ms"     the error, numbers and names folded as `emqtop errors` shows it
    timeout                         a bare word: id, group or error has it

Conditions that stand side by side must all hold. `not` binds closest, then `and`, then `or`.
"""

import re

from emqtop.model.filters import EVERY, TEXTS, All, Amount, Either, Field, Filter, Not, Op, Text, Word
from emqtop.units import BadDuration, parse_duration

_BLANK = re.compile(r"\s*")
_WORD = re.compile(r"(?:[^\s()=~<>!\"']|!(?![=~]))+")
_OP = re.compile(r"\s*(!=|!~|<=|>=|==|=|~|<|>)\s*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|' + r"'((?:[^'\\]|\\.)*)'", re.DOTALL)
_VALUE = re.compile(r"[^\s()]+")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SIZE = re.compile(r"([0-9]{1,15})(?:([kmgt]?)i?b?)", re.IGNORECASE | re.ASCII)
_COUNT = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_PARTS = frozenset({Op.HAS, Op.LACKS})
_TEXT_OPS = frozenset({Op.EQUAL, Op.UNEQUAL}) | _PARTS
_DEEPEST = 50


class BadFilter(ValueError):
    """This is no filter.

    Attributes:
        position: where it went wrong, characters from the start, 0 the first.
    """

    def __init__(self, problem: str, position: int) -> None:
        super().__init__(f"{problem} (at character {position + 1})")
        self.position = position


def parse_filter(text: str) -> Filter:
    """The condition that a text stands for; an empty one is met by every job.

    Raises:
        BadFilter: with the place of the fault.
    """
    parser = _Parser(text)
    if parser.at_end():
        return EVERY
    found = parser.either(0)
    if not parser.at_end():
        raise parser.fault("a bracket closes that none opened")
    return found


class _Parser:
    """A place in the text, moving right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def at_end(self) -> bool:
        self._skip()
        return self.at == len(self.text)

    def fault(self, problem: str, at: int | None = None) -> BadFilter:
        return BadFilter(problem, self.at if at is None else at)

    def either(self, depth: int) -> Filter:
        parts = [self._all(depth)]
        while self._keyword("or"):
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _all(self, depth: int) -> Filter:
        parts = [self._one(depth)]
        while self._keyword("and") or self._begins_another():
            parts.append(self._one(depth))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _begins_another(self) -> bool:
        return not self.at_end() and self.text[self.at] != ")" and not self._peek_word("or")

    def _one(self, depth: int) -> Filter:
        if depth > _DEEPEST:
            raise self.fault("too many brackets inside each other")
        if self._keyword("not"):
            return Not(self._one(depth + 1))
        if self.at_end():
            raise self.fault("a condition is missing")
        if self.text[self.at] != "(":
            return self._condition()
        opened, self.at = self.at, self.at + 1
        inner = self.either(depth + 1)
        if self.at_end() or self.text[self.at] != ")":
            raise self.fault("this bracket is never closed", opened)
        self.at += 1
        return inner

    def _condition(self) -> Filter:
        begin = self.at
        if self.text[begin] in "\"'":
            return Word(self._value())
        word = _WORD.match(self.text, begin)
        if word is None:
            raise self.fault(f"{self.text[begin]!r} stands where a condition should")
        if word[0].lower() in {"and", "or"}:
            raise self.fault(f"a condition is missing before {word[0]!r}")
        self.at = word.end()
        op = _OP.match(self.text, self.at)
        if op is None:
            return Word(word[0])
        if word[0] not in set(Field):
            raise self.fault(f"{word[0]!r} is no field; there are {', '.join(Field)}", begin)
        self.at = op.end()
        return self._comparison(Field(word[0]), Op(op[1].replace("==", "=")), op.start(1))

    def _comparison(self, field: Field, op: Op, op_at: int) -> Filter:
        begin = self.at
        if field in TEXTS:
            if op not in _TEXT_OPS:
                raise self.fault(f"{field} is a text: compare it by = != ~ or !~", op_at)
            return Text(field, op, self._value())
        if op in _PARTS:
            raise self.fault(f"{field} is a number: compare it by = != < <= > or >=", op_at)
        written = self._value()
        return Amount(field, op, _limit(field, written, begin), written)

    def _value(self) -> str:
        found = _QUOTED.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
            return _ESCAPED.sub(r"\1", found[1] if found[1] is not None else found[2])
        if self.text[self.at : self.at + 1] in {'"', "'"}:
            raise self.fault("this quote is never closed")
        found = _VALUE.match(self.text, self.at)
        if found is None:
            raise self.fault("a value is missing")
        self.at = found.end()
        return found[0]

    def _keyword(self, word: str) -> bool:
        if not self._peek_word(word):
            return False
        self.at += len(word)
        return True

    def _peek_word(self, word: str) -> bool:
        self._skip()
        found = _WORD.match(self.text, self.at)
        return found is not None and found[0].lower() == word

    def _skip(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at


def _limit(field: Field, written: str, at: int) -> int:
    if field is Field.AGE:
        try:
            return parse_duration(written)
        except BadDuration as error:
            raise BadFilter(str(error), at) from None
    if field is Field.SIZE:
        size = _SIZE.fullmatch(written)
        if size is None:
            raise BadFilter(f"{written!r} is not a size; wanted one like 200, 64kB or 5MB", at)
        return int(size[1]) << 10 * " kmgt".index(size[2].lower() or " ")
    if _COUNT.fullmatch(written) is None:
        raise BadFilter(f"{written!r} is not a number", at)
    return int(written)
