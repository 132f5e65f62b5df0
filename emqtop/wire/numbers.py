"""The numbers of one queue, as both key layouts are read into them.

None = the server did not say. Times are Unix ms; those of leases and due times are on the server's clock.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of one queue; field for field what `ls` shows."""

    pending: int | None = None
    """Waiting, lanes counted."""
    lanes: int | None = None
    """The part of it that waits in lanes; 0 in the BullMQ layout."""
    active: int | None = None
    """Running."""
    schedule: int | None = None
    """Waiting for its time."""
    dead: int | None = None
    """Given up."""
    held: int | None = None
    """Waiting for children."""
    completed: int | None = None
    """EchoMQ's counter; BullMQ's set size."""
    failed: int | None = None
    """EchoMQ's counter; BullMQ's set size."""
    overdue: int | None = None
    """Active past the deadline, or without a live lock."""
    due: int | None = None
    """Scheduled past its time."""
    paused: bool | None = None
    """Is claiming switched off?"""
    next_deadline_ms: int | None = None
    """Earliest lease deadline."""
    next_due_ms: int | None = None
    """Earliest due time."""
    oldest_pending_ms: int | None = None
    """Mint time of the oldest waiting job."""
    error: str | None = None
    """First error reply among the reads, in the server's words."""
