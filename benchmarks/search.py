"""Times the searches beside OpenSpiel's own: the same as `starspiel bench search`, with the same options."""

import sys

from starspiel.cli.app import main

if __name__ == "__main__":
    main(["bench", "search", *sys.argv[1:]])
