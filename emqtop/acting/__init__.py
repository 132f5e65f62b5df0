"""Plan, run and record an act: joins model and wire for moving."""
