"""What to read and when: joins model and wire for looking."""
