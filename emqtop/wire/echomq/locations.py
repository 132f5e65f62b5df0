"""Where a job's id can lie, and the word that its row says of it there (echomq.md 3)."""

SETS = ("pending", "active", "schedule", "dead")
"""The four sets that can hold an id, in the order in which a job is looked for and in which they are counted."""

STATE_OF = {
    "pending": b"pending",
    "active": b"active",
    "schedule": b"scheduled",
    "dead": b"dead",
    "held": b"awaiting_children",
}
"""Field `state` of the row by location; a held job lies in no set, and its word alone tells."""
