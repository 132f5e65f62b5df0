"""Hostile values for names, ids, payloads, errors, logs and events, and a look at what must never come out."""

import unicodedata

HOSTILE: dict[str, bytes] = {
    "clear screen": b"\x1b[2J\x1b[H",
    "title": b"\x1b]0;owned\x07",
    "clipboard": b"\x1b]52;c;cm0gLXJmIC8=\x07",
    "link": b"\x1b]8;;http://127.0.0.1/\x1b\\click\x1b]8;;\x1b\\",
    "eight-bit controls": "\x9b2J\x9d0;x\x9c\x85".encode(),
    "raw eight-bit controls": b"\x9b2J\x9d",
    "null": b"a\x00b",
    "backspace": b"safe\x08\x08\x08\x08evil",
    "carriage return": b"good\rbad!",
    "lines": b"one\ntwo\r\nthree\x0bfour\x0cfive",
    "unicode lines": "one\u2028two\u2029three\u0085four".encode(),
    "tab": b"a\tb",
    "delete": b"a\x7fb",
    "right to left": "\u202egnp.exe\u202c \u2067x\u2069 \u200f\u061c".encode(),
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg".encode(),
    "tags": "flag\U000e0067\U000e007f".encode(),
    "variation": "\u26a0\ufe0f a\ufe00 b\U000e0101".encode(),
    "fillers": "\u3164\u115f\u1160\uffa0\u034f\u17b4".encode(),
    "no utf-8": b"\xff\xfe\x00\xc3(",
    "half a letter": "né".encode()[:-1],
    "surrogate": b"\xed\xa0\x80",
    "markup": b"[/red] [bold]x[/] [@click=app.quit]go[/] [link=http://127.0.0.1]x",
    "open bracket": b"[",
    "format": b"{0} %s {name!r} $(id) `id`",
    "json": b'{"a": "\\u001b[2J", "b": [1, 2]}',
    "spelled escapes": b"\\x1b \\u202e \\xff",
    "wide": "順番待ちの行列".encode(),
    "emoji": "🚀 launch 👨‍👩‍👧 🇩🇪 👍🏽".encode(),
    "combining": b"e" + "\u0301".encode() * 40,
    "leading mark": "\u0301alone \u0301again".encode(),
    "jamo": "\u1112\u1161\u11ab\u1160\u1161".encode(),
    "arabic": "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u06dd\u0661".encode(),
    "blanks": "a \u00a0\u2003\u3000b ".encode(),
    "long": b"x" * 5000,
    "empty": b"",
}
"""By what each tries to do."""

NAMES: tuple[bytes, ...] = (
    b"task:email",
    b"a#b",
    b"test/tx",
    b"{my-queue}",
    b"x}y",
    b"deactivate user",
    b"-q",
    b"--",
    b"redis://u:p@h",
    "🚀".encode(),
    b"\xff\xfe",
    b"\x1b[31mred",
    "\u202egnp".encode(),
    b"[/red]",
)
"""Names that queues were seen to have, or could have."""


def unsafe(text: str) -> set[str]:
    """Signs in a text that no terminal may be sent: controls, format signs, separators, surrogates."""
    return {sign for sign in text if unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}
