# SPDX-License-Identifier: Apache-2.0
"""mypy's stubtest, for a package with an extension of nanobind: compares stubs with what is there
at run time. See tools/check_python_types.sh.

usage: compare_stubs.py STUBTEST-ARGUMENT...
"""

import sys
from typing import Any

from mypy import stubtest


def is_from_nanobind(thing: object) -> bool:
    return type(thing).__module__ == "nanobind"


is_function = stubtest.is_probably_a_function
metaclass_problems = stubtest._verify_metaclass


def is_function_or_nanobind_s(thing: Any) -> bool:
    """nanobind's functions have a type of their own, which stubs can't tell."""
    return is_from_nanobind(thing) or is_function(thing)


def metaclass_problems_but_nanobind_s(stub: Any, thing: Any, *path: Any, **options: Any) -> Any:
    """nanobind's classes, too."""
    return [] if is_from_nanobind(thing) else metaclass_problems(stub, thing, *path, **options)


stubtest.is_probably_a_function = is_function_or_nanobind_s
stubtest._verify_metaclass = metaclass_problems_but_nanobind_s
sys.exit(stubtest.main())
