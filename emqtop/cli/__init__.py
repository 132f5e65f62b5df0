"""Arguments, environment and config become Settings; one file per command family."""
