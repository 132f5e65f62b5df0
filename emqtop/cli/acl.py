"""`emqtop acl`: the least rights that looking and acting need."""

from emqtop.cli.console import Exit, UsageError, document, line
from emqtop.cli.options import parse, parser, settings, words
from emqtop.model.queue import Family
from emqtop.wire.rights import rules

_ROLES = ("view", "act")


def acl(argv: list[str]) -> int:
    """Print the rules of ACL SETUSER for a user who may look, or act too; asks no server."""
    says = "The least rights for the prefixes, as rules of ACL SETUSER. Redis 6 knows no %R~: write ~ there."
    read = parse(parser("acl", says), argv)
    (role,) = words(read, "view or act")
    if role not in _ROLES:
        raise UsageError(f"unknown role: {role}; wanted view or act")
    chosen = settings(read)
    families = [Family(chosen.family)] if chosen.family else list(Family)
    found = rules(
        chosen.prefixes, act=role == "act", echomq=Family.ECHOMQ in families, bullmq=Family.BULLMQ in families
    )
    if read.json:
        document({"role": role, "rules": found})
    else:
        line(" ".join(found))
    return Exit.DONE
