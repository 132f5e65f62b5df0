"""The options that commands share, and how a command line becomes settings."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from emqtop.cli.commands import COMMANDS
from emqtop.cli.console import UsageError
from emqtop.model.queue import Family
from emqtop.model.typed import LONGEST_MS, BadValue, whole_number
from emqtop.settings import Settings, load
from emqtop.units import BadDuration, parse_duration


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one line and no usage text."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line.

        Raises:
            UsageError: always.
        """
        raise UsageError(f"{message} (try {self.prog} --help)")


def parser(name: str, says: str) -> Parser:
    """A parser with the options of every command.

    Args:
        name: the command's, as in the table.
        says: what it does, in a sentence or two.
    """
    command = COMMANDS[name]
    made = Parser(
        prog=f"emqtop {name}".strip(),
        usage=" ".join(filter(None, ("emqtop", name, "[options]", command.words))),
        description=says,
        epilog=f"example: emqtop {command.example}",
        allow_abbrev=False,
    )
    made.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    if command.json_help:
        made.add_argument("--json", action="store_true", help=command.json_help)
    _add_server(made.add_argument_group("server"))
    look = made.add_argument_group("queues")
    look.add_argument("--prefix", action="append", dest="prefixes", metavar="P", help="key prefix, repeatable; *: all")
    look.add_argument("--family", choices=[family.value for family in Family], help="only this key layout")
    look.add_argument("-q", "--queue", action="append", dest="queues", metavar="NAME", help="only this, repeatable")
    look.add_argument("--utc", action="store_const", const=True, help="times in UTC")
    look.add_argument("--read-only", action="store_const", const=True, help="refuse every act")
    look.add_argument("--config", metavar="FILE", help="config file")
    return made


def _add_server(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--url", help="redis:// valkey:// rediss:// valkeys:// unix:// (or EMQTOP_URL)")
    group.add_argument("--password-file", metavar="FILE", help="its first line is the password (or EMQTOP_PASSWORD)")
    group.add_argument("--ask-password", action="store_true", help="ask for the password on the terminal")
    group.add_argument("--tls-ca", metavar="FILE", help="certificate authorities to trust")
    group.add_argument("--tls-cert", metavar="FILE", help="own certificate")
    group.add_argument("--tls-key", metavar="FILE", help="key of the own certificate")
    group.add_argument("--insecure", action="store_const", const=True, help="accept any certificate")
    group.add_argument("--sentinel-master", metavar="NAME", help="the URL is a Sentinel's: ask it for this master")
    group.add_argument("--timeout", type=seconds, dest="timeout_s", metavar="T", help="wait for each answer: 5s")


def parse(made: Parser, argv: Sequence[str]) -> argparse.Namespace:
    """Options before, between and after the words; behind `--` everything is a word.

    Raises:
        UsageError: it cannot be read.
    """
    cut = argv.index("--") if "--" in argv else len(argv)
    read = made.parse_intermixed_args(list(argv[:cut]))
    read.words = [*read.words, *argv[cut + 1 :]]
    return read


def settings(read: argparse.Namespace) -> Settings:
    """The settings that this command line, the environment and the config file make.

    Raises:
        BadSettings: one of them cannot be used.
    """
    given = {name: getattr(read, name, None) for name in _GIVEN}
    if getattr(read, "ask_password", False):
        given["password"] = _typed_password()
    return load(given)


def _typed_password() -> str:
    """Asked for without echo, or the first line of what is piped in."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    from getpass import getpass

    return getpass("Password: ")


_GIVEN = (
    *("url", "prefixes", "family", "queues", "read_only", "timeout_s", "config", "password_file", "utc"),
    *("tls_ca", "tls_cert", "tls_key", "insecure", "sentinel_master", "theme", "mouse", "ascii", "dev"),
)


def words(read: argparse.Namespace, *names: str) -> list[str]:
    """Exactly the named words of the command line.

    Raises:
        UsageError: there are more or fewer.
    """
    found: list[str] = read.words
    if len(found) < len(names):
        raise UsageError(f"{' '.join(names[len(found) :])} missing")
    if len(found) > len(names):
        raise UsageError(f"unexpected argument: {found[len(names)]}")
    return found


def take_url(read: argparse.Namespace) -> None:
    """Take a word with `://` for the URL, which stands above `--url`."""
    for word in read.words:
        if "://" in word:
            read.url = word
            read.words.remove(word)
            return


def number(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers within bounds."""

    def read(text: str) -> int:
        try:
            return whole_number(text, low, high)
        except BadValue as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def above_zero(high: float) -> Callable[[str], float]:
    """A reader of numbers above 0, fractions too, up to a bound."""

    def read(text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            found = 0.0
        if not 0 < found <= high:
            raise argparse.ArgumentTypeError(f"wanted more than 0 and at most {high}")
        return found

    return read


def seconds(text: str) -> float:
    """Seconds from a plain number or a duration."""
    try:
        found = float(text) if text.replace(".", "", 1).isdigit() else parse_duration(text) / 1_000
    except BadDuration as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not 0 < 1_000 * found <= LONGEST_MS:
        raise argparse.ArgumentTypeError("wanted more than 0 and at most a year")
    return found
