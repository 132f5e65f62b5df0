"""What the wire read, with the domain's meaning: the one place where a reading becomes a queue, a job, a server.

A file for each thing that it becomes, so that the first numbers wait for nothing else.
"""
