#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$TEMPER_ROOT/tools/common.sh"
cd "$TEMPER_ROOT"

usage() {
    cat <<'END'
usage: tools/check_python_types.sh [BUILD-FOLDER]

Checks the types of the Python package that BUILD-FOLDER (default: build/release) has built, of its
tests and of the tutorial's code with mypy --strict and with pyright, and compares the stubs with
what is there at run time (stubtest).

The checkers come from PyPI, in the versions of python/types/requirements.txt, into
build/python-types (500 MB). If they can't be installed, the check is left out, and says so.
END
}

case ${1:-} in
-h | --help) usage && exit ;;
esac

package=${1:-build/release}/python
folder=build/python-types
python=$folder/bin/python

# The interpreter that the extension is for.
interpreter=$(sed -n 's/^_Python_EXECUTABLE:INTERNAL=//p' "${package%/python}/CMakeCache.txt" || true)
ls "$package"/temper/_temper.*so >/dev/null || {
    say "error: there is no Python package in $package"
    say "  hint: ./test builds it, if python3-dev is installed; see docs/python.md"
    exit 2
}

install_checkers() {
    local wanted
    wanted=$(cat python/types/requirements.txt <("$interpreter" -VV) | cksum)
    [[ $(cat "$folder/installed" 2>/dev/null) != "$wanted" ]] || return 0
    rm -rf "$folder"
    "$interpreter" -m venv "$folder" &&
        "$python" -m pip --disable-pip-version-check --quiet install --only-binary :all: \
            --requirement python/types/requirements.txt && echo "$wanted" >"$folder/installed"
}

# report CHECKER COMMAND...: runs all checkers, whatever they find.
status=0
report() {
    local checker=$1
    shift
    say "$checker:"
    "$@" || status=1
}

quietly install_checkers || {
    say "left out: the types of the Python package, since their checkers can't be installed from PyPI"
    exit 0
}
# As if the package were installed.
realpath "$package" >"$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/temper.pth"
tutorial=$folder/tutorial.py
"$python" -c '
import json, sys
cells = json.load(sys.stdin)["cells"]
print("\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))
' <docs/tutorial.ipynb >"$tutorial"

mypy=(env MYPYPATH="$package" "$python" -m mypy --strict --cache-dir "$folder/mypy")
report "mypy, the package" "${mypy[@]}" -p temper
report "mypy, the package for Python 3.10" "${mypy[@]}" --python-version 3.10 -p temper
report "mypy, the tests and the tutorial" "${mypy[@]}" python/tests "$tutorial"
report "pyright" "$python" -m pyright --level error --pythonpath "$python" \
    "$package/temper" python/tests "$tutorial"
report "stubtest" env PYTHONDONTWRITEBYTECODE=1 MYPYPATH="$package" \
    "$python" python/types/compare_stubs.py --ignore-disjoint-bases \
    --allowlist python/types/differences.txt temper
exit "$status"
