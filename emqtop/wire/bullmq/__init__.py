"""The BullMQ family's layout, keys `bull:q:…`, `emq:{q}:…` or any prefix (bullmq.md)."""
