"""What a version fence means."""

import pytest

from emqtop.wire.echomq import fence

FOREIGN = "{emq}:version is %s, which is no version of EchoMQ: its queues are only looked at"


@pytest.mark.parametrize(
    ("version", "refusal", "limit"),
    [
        (None, None, None),
        ("echomq:2.4.2", None, None),
        ("echomq:3.0.0", None, None),
        (
            "echomq:4.0.0",
            None,
            "{emq}:version is echomq:4.0.0: a major version that is not known, whose keys may mean something else",
        ),
        ("echomq:3.0", FOREIGN % "'echomq:3.0'", FOREIGN % "'echomq:3.0'"),
        ("echomq:3.0.0-rc1", FOREIGN % "'echomq:3.0.0-rc1'", FOREIGN % "'echomq:3.0.0-rc1'"),
        ("bullmq:5.65.1", FOREIGN % "'bullmq:5.65.1'", FOREIGN % "'bullmq:5.65.1'"),
        ("", FOREIGN % "''", FOREIGN % "''"),
        ("x" * 50, FOREIGN % f"'{'x' * 40}'", FOREIGN % f"'{'x' * 40}'"),
        ("\udcff", FOREIGN % "'\ufffd'", FOREIGN % "'\ufffd'"),
    ],
)
def test_what_a_version_means(version: str | None, refusal: str | None, limit: str | None) -> None:
    assert (fence.refusal(version), fence.limit(version)) == (refusal, limit)
