"""emqtop: top for job queues on Valkey and Redis."""

# Nothing is imported here: reading the installed metadata would cost every command 70 to 100 ms.
__version__ = "0.1.0"
