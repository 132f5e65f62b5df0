"""A certificate authority of the tests' own, made by openssl when it is wanted."""

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.servers.binaries import program

_SERVER = "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n"
_ELSEWHERE = "subjectAltName=DNS:elsewhere.example\nextendedKeyUsage=serverAuth\n"
_CLIENT = "extendedKeyUsage=clientAuth\n"


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its key."""

    certificate: Path
    """PEM file."""
    key: Path
    """PEM file, without a password."""


class Authority:
    """A certificate authority, the server's certificate (127.0.0.1 and localhost), one for a client, and a stranger.

    Args:
        folder: where the files go.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._openssl = program("openssl")
        self._own = self._root("authority")
        self.ca = self._own.certificate
        """What clients check the server against."""
        self.server = self._issue("server", _SERVER)
        self.elsewhere = self._issue("elsewhere", _ELSEWHERE)
        """A server's, of another host."""
        self.expired = self._issue("expired", _SERVER, days=-1)
        """The server's, of the day before yesterday."""
        self.client = self._issue("client", _CLIENT)
        self.stranger = self._root("stranger").certificate
        """Another authority, which signed nothing here."""

    def _root(self, name: str) -> Pair:
        pair = self._pair(name)
        subject = ("-subj", f"/CN={name}", "-days", "2")
        self._run("req", "-x509", *_NEW, "-keyout", str(pair.key), "-out", str(pair.certificate), *subject)
        return pair

    def _issue(self, name: str, extensions: str, days: int = 2) -> Pair:
        pair = self._pair(name)
        request, extra = self._folder / f"{name}.csr", self._folder / f"{name}.ext"
        extra.write_text(extensions, "utf-8")
        self._run("req", *_NEW, "-keyout", str(pair.key), "-out", str(request), "-subj", f"/CN={name}")
        signer = (
            "-CA",
            str(self._own.certificate),
            "-CAkey",
            str(self._own.key),
            "-CAcreateserial",
            "-days",
            str(days),
        )
        files = ("-in", str(request), "-out", str(pair.certificate), "-extfile", str(extra))
        self._run("x509", "-req", *files, *signer)
        return pair

    def _pair(self, name: str) -> Pair:
        return Pair(self._folder / f"{name}.crt", self._folder / f"{name}.key")

    def _run(self, *words: str) -> None:
        subprocess.run([self._openssl, *words], check=True, capture_output=True, timeout=30)


_NEW = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def new_authority() -> Authority:
    """An authority in a fresh folder of the system's temp folder; skips the test where openssl is missing."""
    return Authority(Path(tempfile.mkdtemp(prefix="emqtop-ca-")))
