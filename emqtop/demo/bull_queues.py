"""The queues of the BullMQ family in the demo workload."""

VIDEO_LOCK_MS = 3_000
"""Lock of a job of `video`; short, so that a killed worker shows soon."""

MAIL, INVOICES, BOOKS, VIDEO, NEWSLETTER = "mail", "invoices", "books", "video", "newsletter"

NAMES = (MAIL, INVOICES, BOOKS, VIDEO, NEWSLETTER)
"""Every queue, under the prefix `bull`."""
