"""What the user asked for, read once and handed down by value."""

from dataclasses import dataclass, field

DEFAULT_URL = "redis://127.0.0.1:6379"
DEFAULT_PREFIXES = ("emq", "bull")


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


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that arguments, environment and config decided."""

    url: Secret = field(default_factory=lambda: Secret(DEFAULT_URL))
    """Where the server is; a Secret since it may hold a password."""
    prefixes: tuple[str, ...] = DEFAULT_PREFIXES
    """The key prefixes looked at."""
    family: str | None = None
    """`echomq`, `bullmq`, or None for both."""
    read_only: bool = False
    """Refuse every act before anything is sent."""
