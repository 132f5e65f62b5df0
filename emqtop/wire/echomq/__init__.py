"""EchoMQ's own layout, keys `emq:{q}:…` (echomq.md)."""
