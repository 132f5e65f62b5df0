"""Real producers and workers of the PyPI package bullmq, for the demo; nothing else imports it."""

from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from emqtop.wire.address import Address
from emqtop.wire.bullmq.library_scripts import NotShipped

Process = Callable[[Any, str], Awaitable[Any]]
"""What a worker does with a job; given the job and the token of its lock."""


def is_installed() -> bool:
    """Is the package there?"""
    return find_spec("bullmq") is not None


class LibraryQueues:
    """Queues, flows and workers on one server, closed together.

    Args:
        address: the server, which is no Sentinel and no cluster.
        prefix: key prefix.

    Raises:
        NotShipped: the package is not installed.
    """

    def __init__(self, address: Address, prefix: str = "bull") -> None:
        if not is_installed():
            raise NotShipped("queues of the BullMQ family need the package bullmq: pip install 'emqtop[bullmq]'")
        # Deferred: it costs as much as redis-py, and only the demo's own processes want it.
        self._bullmq = import_module("bullmq")
        self._prefix = prefix
        self._connection = _options(address)
        self._opened: list[Any] = []

    def queue(self, name: str) -> Any:
        """A `bullmq.Queue`."""
        return self._keep(self._bullmq.Queue(name, self._on()))

    def flows(self) -> Any:
        """A `bullmq.FlowProducer`."""
        return self._keep(self._bullmq.FlowProducer(self._on()))

    def worker(self, queue: str, process: Process, **options: Any) -> Any:
        """A `bullmq.Worker` that has begun to work; call it within a running event loop."""
        return self._keep(self._bullmq.Worker(queue, process, {**self._on(), **options}))

    async def close(self) -> None:
        """End the workers first, jobs in hand cut short, then the rest."""
        opened, self._opened = self._opened, []
        for each in reversed(opened):
            await (each.close(force=True) if isinstance(each, self._bullmq.Worker) else each.close())

    def _on(self) -> dict[str, Any]:
        return {"prefix": self._prefix, "connection": dict(self._connection)}

    def _keep(self, made: Any) -> Any:
        self._opened.append(made)
        return made


def _options(address: Address) -> dict[str, Any]:
    options: dict[str, Any] = {
        "db": address.db,
        "username": address.username,
        "password": address.password.reveal() if address.password is not None else None,
    }
    if address.path is not None:
        return options | {"unix_socket_path": address.path}
    options |= {"host": address.host, "port": address.port}
    if address.tls:
        tls = address.certificates
        options |= {"ssl": True, "ssl_ca_certs": tls.ca_certs, "ssl_certfile": tls.certfile, "ssl_keyfile": tls.keyfile}
        options |= {"ssl_cert_reqs": "none" if tls.insecure else "required", "ssl_check_hostname": not tls.insecure}
    return options
