"""What the user asked for, read once and handed down by value."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

DEFAULT_URL = "redis://127.0.0.1:6379"
DEFAULT_PREFIXES = ("emq", "bull")
ANY_PREFIX = "*"
"""Stands for every key prefix."""
DEFAULT_THEME = "dark"
SIXTEEN = "sixteen"
"""The theme for terminals of 16 colours."""
FAMILIES = ("echomq", "bullmq")


class Secret:
    """A password: usable, never shown.

    Its repr and str are masked, so that no trace, log line or format string can leak it (operator law 15).
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The text itself; call it only where it goes onto the wire."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


class BadSettings(Exception):
    """An option, a variable or the config file cannot be used; the message is one line without secrets."""


@dataclass(frozen=True, slots=True)
class ServerLabel:
    """How a server is to be marked on the screen."""

    match: str
    """Shell pattern for the address without password: `*prod*`."""
    label: str = ""
    """Text beside the address."""
    colour: str | None = None
    """Name or `#rrggbb`; None: the theme's."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that arguments, environment and config decided."""

    url: Secret = field(default_factory=lambda: Secret(DEFAULT_URL))
    """Where the server is; a Secret since it may hold a password."""
    password: Secret | None = None
    """Password from a file, a prompt or the environment; stands above the one in the URL."""
    prefixes: tuple[str, ...] = DEFAULT_PREFIXES
    """The key prefixes looked at."""
    family: str | None = None
    """`echomq`, `bullmq`, or None for both."""
    queues: tuple[str, ...] = ()
    """Only these queues are looked at; empty: all."""
    read_only: bool = False
    """Refuse every act before anything is sent."""
    timeout_s: float = 5.0
    """Wait for a connection and for each answer, seconds."""
    tls_ca: str | None = None
    """File of certificate authorities; None: the system's."""
    tls_cert: str | None = None
    """Own certificate."""
    tls_key: str | None = None
    """Its key; None: in the same file."""
    insecure: bool = False
    """Accept any certificate of any host."""
    sentinel_master: str | None = None
    """The URL is a Sentinel's; ask it for this master."""
    utc: bool = False
    """Show times in UTC instead of the user's zone."""
    theme: str | None = None
    """Name of the theme; None: chosen for the terminal."""
    mouse: bool = True
    """Take the mouse from the terminal."""
    ascii: bool = False
    """Draw no lines and blocks."""
    dev: bool = False
    """Take up changes of the themes that come with emqtop while it runs."""
    first_frame: bool = True
    """Draw the first numbers while the dashboard is still being imported."""
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Command id to keys, as Textual names them, comma between."""
    servers: tuple[ServerLabel, ...] = ()
    """Marks of servers, first match counts."""
    config: Path | None = None
    """The config file that was read; None: there is none."""
    hints: tuple[str, ...] = ()
    """Lines that the overview tells until something is opened: what to try; `{reap}` is the key of that command."""

    def theme_name(self, environ: Mapping[str, str]) -> str:
        """The theme to begin with: the one asked for, else what the terminal has colours for."""
        few = "256color" not in environ.get("TERM", "") and not environ.get("COLORTERM")
        return self.theme or (SIXTEEN if few else DEFAULT_THEME)

    def label_for(self, address: str) -> ServerLabel | None:
        """The mark of a server by its address as shown."""
        return next((mark for mark in self.servers if fnmatchcase(address, mark.match)), None)


def config_path(environ: Mapping[str, str]) -> Path:
    """`emqtop/config.toml` in the user's config folder."""
    home = environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or Path.home()) / ".config"
    return Path(home) / "emqtop" / "config.toml"


def themes_folder(environ: Mapping[str, str]) -> Path:
    """`emqtop/themes` in the user's config folder, for themes of one's own."""
    return config_path(environ).parent / "themes"


def load(given: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Join arguments, environment and config file; the earlier stands above the later.

    Args:
        given: fields of `Settings` as arguments set them, None or absent where they did not; `config` names the
            config file, `password_file` a file whose first line is the password.
        environ: EMQTOP_URL, EMQTOP_PASSWORD and where the config lies; None: the process's own.

    Raises:
        BadSettings: one of them cannot be used.
    """
    environ = os.environ if environ is None else environ
    chosen = {key: value for key, value in (given or {}).items() if value is not None}
    asked = chosen.pop("config", None)
    path = Path(asked) if asked is not None else config_path(environ)
    values = _read_config(path, must_exist=asked is not None)
    values |= {"url": environ["EMQTOP_URL"]} if environ.get("EMQTOP_URL") else {}
    values |= {key: value for key, value in chosen.items() if key not in {"password", "password_file"}}
    password = _password(chosen, environ, values.pop("password_file", None))
    if (url := values.pop("url", None)) is not None:
        values["url"] = Secret(url)
    for name in ("tls_ca", "tls_cert", "tls_key"):
        _check_file(name, values.get(name))
    known = {item.name for item in fields(Settings)}
    fitting: dict[str, Any] = {key: _frozen(value) for key, value in values.items() if key in known}
    return Settings(**fitting, password=password, config=path if path.is_file() else None)


def _check_file(name: str, path: str | None) -> None:
    if path is not None and not Path(path).is_file():
        raise BadSettings(f"{name}: {path}: no such file")


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _password(chosen: Mapping[str, Any], environ: Mapping[str, str], from_config: str | None) -> Secret | None:
    if "password" in chosen:
        return Secret(chosen["password"])
    if "password_file" in chosen:
        return _first_line(chosen["password_file"])
    if (word := environ.get("EMQTOP_PASSWORD")) is not None:
        return Secret(word)
    return None if from_config is None else _first_line(from_config)


def _first_line(path: str) -> Secret:
    try:
        lines = Path(path).expanduser().read_text("utf-8", "surrogateescape").splitlines()
    except OSError as error:
        raise BadSettings(f"password file {path}: {error.strerror}") from None
    if not lines:
        raise BadSettings(f"password file {path}: it is empty")
    return Secret(lines[0])


_TYPES: dict[str, tuple[type, ...]] = {
    "url": (str,),
    "password_file": (str,),
    "prefixes": (list,),
    "family": (str,),
    "queues": (list,),
    "read_only": (bool,),
    "timeout_s": (int, float),
    "tls_ca": (str,),
    "tls_cert": (str,),
    "tls_key": (str,),
    "insecure": (bool,),
    "sentinel_master": (str,),
    "utc": (bool,),
    "theme": (str,),
    "mouse": (bool,),
    "ascii": (bool,),
    "first_frame": (bool,),
    "keymap": (dict,),
    "servers": (list,),
}
"""What the config file may say, and in which form."""


def _read_config(path: Path, *, must_exist: bool) -> dict[str, Any]:
    if not must_exist and not path.exists():
        return {}
    import tomllib  # 5 ms, for those who have a config

    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadSettings(f"config {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(f"config {path}: {error}") from None
    try:
        for key, value in raw.items():
            _check(key, value)
        if "servers" in raw:
            raw["servers"] = [_server(entry) for entry in raw["servers"]]
    except BadSettings as error:
        raise BadSettings(f"config {path}: {error}") from None
    return raw


def _check(key: str, value: Any) -> None:
    if key not in _TYPES:
        raise BadSettings(f"unknown key {key!r}")
    wanted = _TYPES[key]
    if type(value) not in wanted:
        raise BadSettings(f"{key}: wanted {' or '.join(kind.__name__ for kind in wanted)}")
    if key in {"prefixes", "queues"} and not all(isinstance(entry, str) for entry in value):
        raise BadSettings(f"{key}: wanted a list of texts")
    if key == "keymap" and not all(isinstance(entry, str) for entry in value.values()):
        raise BadSettings('keymap: wanted texts, such as reap = "r,f5"')
    if key == "family" and value not in FAMILIES:
        raise BadSettings(f"family: wanted {' or '.join(FAMILIES)}")
    if key == "timeout_s" and not 0 < value <= 600:
        raise BadSettings("timeout_s: wanted more than 0 and at most 600")


def _server(entry: Any) -> ServerLabel:
    known = {"match", "label", "colour"}
    if not isinstance(entry, dict) or "match" not in entry or not set(entry) <= known:
        raise BadSettings("servers: wanted tables of match, label and colour")
    if not all(isinstance(value, str) for value in entry.values()):
        raise BadSettings("servers: match, label and colour are texts")
    return ServerLabel(**entry)
