# SPDX-License-Identifier: Apache-2.0
"""``python -m temper`` is the command line, ``temper``."""

from __future__ import annotations

import sys
from typing import NoReturn

from temper._errors import Error
from temper._programs import become_command_line


def main() -> NoReturn:
    """Becomes the command line, with the arguments of this process."""
    try:
        become_command_line(sys.argv[1:])
    except Error as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
