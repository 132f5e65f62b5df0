"""What is wrong with queues and their server, as a document and as lines."""

from collections.abc import Iterator, Sequence
from typing import Any

from emqtop.model.findings import Finding
from emqtop.present.jsonout import exact
from emqtop.text import safe


def findings_document(findings: Sequence[Finding]) -> dict[str, Any]:
    """Findings with their evidence; `act` is a command line, null where none helps.

    Of a finding on the server family, prefix and queue are null.
    """
    return {"findings": [_finding(finding) for finding in findings]}


def _finding(finding: Finding) -> dict[str, Any]:
    queue = finding.queue
    return {
        "family": None if queue is None else queue.family.value,
        "prefix": None if queue is None else exact(queue.prefix),
        "queue": None if queue is None else exact(queue.name),
        "lane": None if finding.lane is None else exact(finding.lane),
        "kind": finding.kind.value,
        "evidence": dict(finding.evidence),
        "says": safe(finding.says),
        "act": finding.act,
    }


def subject(finding: Finding) -> str:
    """What it is wrong with: the name of the queue, or the server."""
    return "(server)" if finding.queue is None else safe(finding.queue.name)


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """A line a finding, and one below it for what helps: the command of an act, or advice in brackets."""
    for finding in findings:
        yield f"{subject(finding)}  {finding.kind}: {safe(finding.says, newline=' ')}"
        yield f"    {finding.act or f'({finding.nature.advice})'}"
