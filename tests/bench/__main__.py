"""`python -m tests.bench [PART…]`: measure, and print one table."""

import sys
import time
import traceback

from emqtop.ui.garbage import look_rarely
from tests.bench.parts import PARTS, run
from tests.bench.table import Row, header, misses, reasons, render
from tests.bench.world import World


def main(wanted: list[str]) -> int:
    """Run the parts that were named, or all; 1 where one broke, 2 where one is unknown."""
    if unknown := [name for name in wanted if name not in PARTS]:
        print(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    # As the dashboard has it.
    look_rarely()
    began, head = time.monotonic(), header()
    rows: list[Row] = []
    failed: list[str] = []
    with World() as world:
        for name in wanted or PARTS:
            print(f"{name} …", file=sys.stderr, flush=True)
            try:
                rows += run(name, world)
            except Exception:
                # What the others measured is not lost with it.
                traceback.print_exc()
                failed.append(name)
    print(f"{head}\n\n{render(rows)}\n{reasons(rows)}\n")
    print(f"{len(misses(rows))} of {sum(row.budget is not None for row in rows)} budgets missed", end="")
    print(f"; {time.monotonic() - began:.0f} s; {header()}")
    if failed:
        print(f"not measured: {', '.join(failed)}")
    return 1 if failed else 0


sys.exit(main(sys.argv[1:]))
