"""The only floor that knows redis: connections, scripts, the two key layouts."""
