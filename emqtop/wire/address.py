"""The URL of a server, taken apart."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

from emqtop.settings import Secret, Settings
from emqtop.wire.errors import BadAddress

DEFAULT_PORT = 6379
_TLS = {"redis": False, "valkey": False, "rediss": True, "valkeys": True}
_TOPOLOGIES = {"": DEFAULT_PORT, "sentinel": 26379, "cluster": DEFAULT_PORT}
_HOSTS = re.compile(r"[^/?#]*")
_SCHEMES = "redis://, rediss://, valkey://, valkeys://, the same with +sentinel or +cluster, or unix://"
_YES = frozenset({"1", "true", "yes"})


Place: TypeAlias = tuple[str, int]
"""Host and port."""


@dataclass(frozen=True, slots=True)
class Tls:
    """What an encrypted connection is checked against."""

    ca_certs: str | None = None
    """File of certificate authorities; None: the system's."""
    certfile: str | None = None
    """Own certificate, for servers that ask for one."""
    keyfile: str | None = None
    """Its key; None: in the same file."""
    insecure: bool = False
    """Accept any certificate of any host."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is and how to log in."""

    host: str = "127.0.0.1"
    """Name or IP address; empty for a unix socket."""
    port: int = DEFAULT_PORT
    """TCP port; 0 for a unix socket."""
    path: str | None = None
    """Path of the unix socket, else None."""
    db: int = 0
    """Logical database."""
    username: str | None = None
    """ACL user; None is the default user."""
    password: Secret | None = None
    """Its password."""
    tls: bool = False
    """Is the connection encrypted?"""
    options: tuple[tuple[str, str], ...] = ()
    """Query options of the URL other than db, username and password, in order."""
    seeds: tuple[Place, ...] = ()
    """Further hosts to ask for the way, of Sentinels or of a cluster."""

    @property
    def sentinel_master(self) -> str | None:
        """The master to ask Sentinels for; None: the host is the server itself."""
        return dict(self.options).get("sentinel_master")

    @property
    def hosts(self) -> tuple[Place, ...]:
        """Every host that can be asked for the way."""
        return ((self.host, self.port), *self.seeds)

    def at(self, place: Place) -> "Address":
        """A server of the same login at another place."""
        options = tuple(pair for pair in self.options if not pair[0].startswith("sentinel_"))
        return replace(self, host=place[0], port=place[1], path=None, seeds=(), options=options)

    def sentinel(self, place: Place) -> "Address":
        """A Sentinel: it has a login of its own, in the query options `sentinel_username` and `sentinel_password`."""
        own = dict(self.options)
        password = own.get("sentinel_password")
        secret = Secret(password) if password is not None else None
        return replace(self.at(place), db=0, username=own.get("sentinel_username"), password=secret)

    @property
    def certificates(self) -> Tls:
        """The query options `ssl_ca_certs`, `ssl_certfile`, `ssl_keyfile`, and `insecure` or `ssl_cert_reqs=none`."""
        options = dict(self.options)
        insecure = options.get("insecure", "0").lower() in _YES or options.get("ssl_cert_reqs") == "none"
        return Tls(options.get("ssl_ca_certs"), options.get("ssl_certfile"), options.get("ssl_keyfile"), insecure)

    @property
    def label(self) -> str:
        """The address as it may be shown: no password, no query options."""
        user = f"{self.username}@" if self.username else ""
        if self.path is not None:
            return f"unix://{user}{self.path}" + (f"?db={self.db}" if self.db else "")
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme, tail = "rediss" if self.tls else "redis", f"/{self.db}" if self.db else ""
        if self.sentinel_master is not None:
            scheme, tail = f"{scheme}+sentinel", f"/{self.sentinel_master}{tail}"
        return f"{scheme}://{user}{host}:{self.port}{tail}"


def parse_address(url: str) -> Address:
    """Take a URL of the contract apart: redis, rediss, valkey, valkeys, the same with +sentinel or +cluster, and unix.

    `redis+sentinel://host:port,host:port/master/db` asks Sentinels for a master; `redis+cluster://host:port,host:port`
    names several hosts of a cluster (one that a single host leads to is found by itself). A password may hold any
    character, unquoted ones that confuse a URL included: what stands before the last `@` is the login.

    Raises:
        BadAddress: the text is no such URL; the message never repeats it, since it may hold a password.
    """
    scheme, found, rest = url.partition("://")
    base, _, topology = scheme.partition("+")
    if not found:
        raise BadAddress(f"no scheme; wanted {_SCHEMES}")
    if scheme == "unix":
        return _parse_unix(rest)
    if base not in _TLS or topology not in _TOPOLOGIES:
        raise BadAddress(f"unknown scheme; wanted {_SCHEMES}")
    login, _, place = rest.rpartition("@")
    hosts = _HOSTS.match(place)
    names = hosts[0].split(",") if hosts is not None else [""]
    (host, port), *seeds = [_host(name, _TOPOLOGIES[topology]) for name in names]
    parts = urlsplit(place[hosts.end() if hosts is not None else 0 :])
    query = dict(parse_qsl(parts.query))
    path = parts.path.strip("/")
    if topology == "sentinel":
        master, _, path = path.partition("/")
        query |= {"sentinel_master": unquote(master)} if master else {}
        if "sentinel_master" not in query:
            raise BadAddress("Sentinels are asked for a master by name: redis+sentinel://host:port/name")
    username, password = _login(login)
    db = _database(query.pop("db", path or "0"))
    username = query.pop("username", username) or None
    if (asked := query.pop("password", None)) is not None:
        password = Secret(asked)
    return Address(host, port, None, db, username, password, _TLS[base], tuple(query.items()), tuple(seeds))


def _host(name: str, port: int) -> Place:
    try:
        parts = urlsplit(f"redis://{name}")
        return parts.hostname or "127.0.0.1", parts.port or port
    except ValueError:
        raise BadAddress("host or port cannot be read") from None


def address_of(settings: Settings) -> Address:
    """The address that settings mean: their URL, with the password and the TLS and Sentinel options set beside it.

    Raises:
        BadAddress: the URL cannot be read, or a file that it names is not there.
    """
    address = parse_address(settings.url.reveal())
    beside = {
        "ssl_ca_certs": settings.tls_ca,
        "ssl_certfile": settings.tls_cert,
        "ssl_keyfile": settings.tls_key,
        "insecure": "1" if settings.insecure else None,
        "sentinel_master": settings.sentinel_master,
    }
    options = dict(address.options) | {name: value for name, value in beside.items() if value is not None}
    for name in ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile"):
        # Whoever opens it later says only that something is missing.
        if (path := options.get(name)) is not None and not Path(path).is_file():
            raise BadAddress(f"there is no file {path}")
    return replace(address, password=settings.password or address.password, options=tuple(options.items()))


def _parse_unix(rest: str) -> Address:
    place, _, raw_query = rest.partition("?")
    # A path begins with a slash, so a login ends at the last `@/`: passwords hold any character.
    login, at, path = place.rpartition("@/") if not place.startswith("/") else ("", "", place)
    path = f"/{path}" if at else path
    if not path:
        raise BadAddress("unix:// wants the path of a socket")
    username, password = _login(login)
    query = dict(parse_qsl(raw_query))
    db = _database(query.pop("db", "0"))
    username = query.pop("username", username) or None
    if (asked := query.pop("password", None)) is not None:
        password = Secret(asked)
    return Address("", 0, unquote(path), db, username, password, False, tuple(query.items()))


def _login(login: str) -> tuple[str | None, Secret | None]:
    user, colon, password = login.partition(":")
    return unquote(user) or None, Secret(unquote(password)) if colon and password else None


def _database(raw: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", raw):
        raise BadAddress("the database is not a number")
    return int(raw)
