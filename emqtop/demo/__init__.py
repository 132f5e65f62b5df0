"""The embedded server and the demo workload."""
