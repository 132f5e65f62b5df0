"""The way of an act from the command line: find the queue, plan, ask, carry out, tell, choose the exit code."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

from emqtop.acting.audit import Audit, Unrecorded
from emqtop.acting.plan import Plan, Selection, make_plan, refuse
from emqtop.acting.runner import Runner
from emqtop.acting.tally import Progress
from emqtop.acting.words import reason_of, said
from emqtop.cli.console import Exit, UsageError, complain, document, lines
from emqtop.cli.options import settings
from emqtop.cli.queue_name import find
from emqtop.model.actions import Order, Outcome, Reason, Verb
from emqtop.model.acts import ACTS
from emqtop.model.queue import Family, QueueId
from emqtop.present import jsonout, plain
from emqtop.sampling.oneshot import OneShot
from emqtop.settings import Settings
from emqtop.text import safe
from emqtop.units import count, iso
from emqtop.wire.address import address_of
from emqtop.wire.client import Client
from emqtop.wire.echomq.branded_id import group_id
from emqtop.wire.resp import ReplyError


@dataclass(frozen=True, slots=True)
class Wish:
    """An act as the command line asks for it."""

    verb: Verb
    """Which act."""
    queue: str
    """The queue's name as typed."""
    selection: Selection
    """To which jobs."""
    read: argparse.Namespace
    """The other options."""
    order: Callable[[QueueId], Order]
    """The act with its options, once the queue is known."""


def carry(wish: Wish) -> int:
    """Do it, say what came of it on stdout, and return the exit code.

    Raises:
        UsageError: it may not be done like this; nothing was sent but reads.
    """
    chosen, as_json = settings(wish.read), wish.read.json
    may_be_many(wish.read, wish.verb, len(wish.selection.ids))
    with OneShot(chosen) as shot:
        queue = find(shot, wish.queue)
        order = wish.order(queue)
        _check_lane(order)
    if chosen.read_only:
        return tell(_left(refuse(order, wish.selection, Reason.READ_ONLY)), as_json=as_json)
    plan = asyncio.run(_plan(chosen, order, wish))
    if wish.read.dry_run:
        foreseen = Outcome(wish.verb, queue, plan.would_move, skipped=plan.skipped, dry_run=True)
        return tell(foreseen, as_json=as_json)
    if plan.stopped:
        return tell(_left(plan, stopped=True), as_json=as_json)
    if _wants_a_yes(plan) and not _confirmed(wish, plan, address_of(chosen).label):
        complain("not done")
        return Exit.FINDINGS
    return tell_done(lambda: asyncio.run(_carry_out(chosen, plan, wish)), as_json=as_json)


def tell_done(act: Callable[[], Outcome], *, as_json: bool) -> Exit:
    """Do an act and say what came of it, also where that could not be written down to its end.

    Raises:
        Unrecorded: nothing was done.
    """
    try:
        return tell(act(), as_json=as_json)
    except Unrecorded as error:
        if error.outcome is None:
            raise
        complain(error)
        return tell(error.outcome, as_json=as_json) or Exit.FINDINGS


def exit_code(outcome: Outcome) -> Exit:
    """The promise of the command line for an outcome."""
    if outcome.unknown:
        return Exit.UNKNOWN
    return Exit.FINDINGS if outcome.skipped or outcome.stopped else Exit.DONE


def tell(outcome: Outcome, *, as_json: bool) -> Exit:
    """Say what came of an act; the code is the act's, whether or not anybody reads what is said."""
    if outcome.lost:
        complain(lost(outcome))
    try:
        if as_json:
            document(jsonout.act(outcome))
        else:
            lines(list(plain.outcome(outcome)))
    except BrokenPipeError:
        complain("nobody read the outcome")
    return exit_code(outcome)


def lost(outcome: Outcome) -> str:
    """How an act lost its server, and what that means for its jobs."""
    parts = [f"the server was lost during the act ({outcome.lost})"]
    parts += [f"unknown {len(outcome.unknown)}: sent, and no answer came"] * bool(outcome.unknown)
    parts += [f"not begun {outcome.not_begun}"] * (outcome.not_begun > 0)
    return ", ".join(parts)


def _left(plan: Plan, *, stopped: bool = False) -> Outcome:
    return Outcome(plan.order.verb, plan.order.queue, plan.matched, skipped=plan.skipped, stopped=stopped)


def _check_lane(order: Order) -> None:
    if order.lane is None:
        return
    if order.queue.family is not Family.ECHOMQ:
        raise UsageError(f"{order.queue.name} is a BullMQ queue, which has no lanes")
    group_id(order.lane)


async def _plan(chosen: Settings, order: Order, wish: Wish) -> Plan:
    client = await Client.open(address_of(chosen), chosen.timeout_s)
    try:
        return await make_plan(client, order, wish.selection, dry_run=wish.read.dry_run, stop=stop_on_signals())
    except ReplyError as error:
        return refuse(order, wish.selection, reason_of(error), said(error))
    except ValueError as error:
        raise UsageError(str(error)) from None
    finally:
        await client.close()


async def _carry_out(chosen: Settings, plan: Plan, wish: Wish) -> Outcome:
    address = address_of(chosen)
    client = await Client.open(address, chosen.timeout_s)
    try:
        return await Runner(client, Audit(address.label)).carry_out(
            plan,
            rate=getattr(wish.read, "rate", None),
            stop=stop_on_signals(),
            on_progress=progress_shown(as_json=wish.read.json),
        )
    finally:
        await client.close()


def stop_on_signals() -> asyncio.Event:
    """Set once we are told to end: the running batch is waited for, the next is not begun."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


def progress_shown(*, as_json: bool) -> Callable[[Progress], None] | None:
    """What tells a terminal how far an act is; None: there is none to tell."""
    return _show_progress if sys.stderr.isatty() and not as_json else None


def _show_progress(progress: Progress) -> None:
    if progress.under_way or not progress.total:
        return
    left = "" if progress.left_s is None else f", {progress.left_s:.0f} s left"
    sys.stderr.write(f"\r{progress.done} of {progress.total}{left}   ")
    sys.stderr.write("\n" if progress.done >= progress.total else "")
    sys.stderr.flush()


def _wants_a_yes(plan: Plan) -> bool:
    """Is it more than one job, or a whole queue, that nothing brings back?"""
    return plan.matched > 1 or (plan.is_whole and plan.wants_name and not plan.skipped)


def may_be_many(read: argparse.Namespace, verb: Verb, jobs: int, *, is_queue: bool = False) -> None:
    """Let an act on several jobs, or one that takes a queue whole, pass where --yes says so or a terminal can be asked.

    Raises:
        UsageError: neither.
    """
    free = read.yes or read.read_only or getattr(read, "dry_run", False)
    if (jobs > 1 or is_queue) and not free and (read.json or not (sys.stdin.isatty() and sys.stderr.isatty())):
        raise UsageError(f"{verb} of {'a queue with ' * is_queue}{jobs} job{'s' * (jobs != 1)} wants --yes")


def _confirmed(wish: Wish, plan: Plan, server: str) -> bool:
    """Ask on the terminal, where --yes does not say so already."""
    may_be_many(wish.read, wish.verb, plan.matched, is_queue=plan.is_whole)
    if wish.read.yes:
        return True
    queue = safe(plan.order.queue.name)
    if plan.wants_name:
        return ask(_question(plan, server, queue), "the name of the queue", {plan.order.queue.name, queue})
    return ask(_question(plan, server, queue), "yes", {"y", "yes"})


def ask(question: list[str], wanted: str, answers: set[str]) -> bool:
    """Is one of the answers typed on the terminal?"""
    sys.stderr.write("\n".join([*question, f"Type {wanted} to do it: "]))
    sys.stderr.flush()
    return sys.stdin.readline().rstrip("\n") in answers


def _question(plan: Plan, server: str, queue: str) -> list[str]:
    asks = ACTS[plan.order.verb].asks.format(jobs=f"{count(len(plan.jobs))} jobs", queue=queue)
    said = [f"{safe(server)}  {asks}{' BY FORCE' if plan.order.force else ''}"]
    for word, job in (("oldest", plan.oldest), ("newest", plan.newest)):
        if job is not None:
            said.append(f"  {word}  {safe(job.id)}  {iso(job.minted_ms)}")
    if plan.skipped:
        said.append(f"  {len(plan.skipped)} more are left alone, the first: {safe(plan.skipped[0].detail)}")
    if for_good := ACTS[plan.order.verb].for_good:
        said.append(f"  {for_good}")
    return said
