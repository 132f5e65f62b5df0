"""`python -m emqtop` is the command `emqtop`."""

import sys

from emqtop.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
