#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$TEMPER_ROOT/tools/common.sh"
source "$TEMPER_ROOT/tools/oracle.sh"

usage() {
    cat <<'END'
usage: tools/test_modes.sh [MODE...]

Builds the preset "release" and runs its whole test suite, as ./test --all does, once in each mode
but the last:

  sse41, avx2, avx512_core   with kernels for these instructions at most
  slow-clock                 under clocks that run five times as fast (tests/support/slow_clock.c),
                             as the user nobody, who can't write to the source and the build: what
                             installs from there is skipped
  busy-core                  beside a process that keeps a core busy
  free-threaded              the tests of the Python module in a Python without a global lock, the
                             first of python3.14t and python3.13t that has NumPy and pytest; builds
                             build/free-threaded

Without MODE: in all. Prints for each how many tests passed and how many seconds they took, and the
failed ones by name; what can't be done here is left out by name. The tests' output is in
build/release/modes/MODE.log. Ends with 1 if a test failed.
END
}

# free_threaded_python: prints the interpreter, if there is one.
free_threaded_python() {
    local python
    for python in python3.14t python3.13t; do
        "$python" -c 'import numpy, pytest' 2>/dev/null && command -v "$python" && return
    done
    return 1
}

as_nobody=(setpriv --reuid=nobody --regid=nogroup --clear-groups)

# is_possible MODE: whether this processor and user can do it.
is_possible() {
    case $1 in
    avx2) grep -qw avx2 /proc/cpuinfo ;;
    avx512_core) grep -qw avx512f /proc/cpuinfo ;;
    free-threaded) free_threaded_python >/dev/null ;;
    slow-clock) ((EUID == 0)) && "${as_nobody[@]}" test -r "$TEMPER_ROOT/test" ;;
    esac
}

# make_free_threaded FOLDER: lets ctest run the tests of a module for that interpreter there.
make_free_threaded() {
    local build=$TEMPER_ROOT/build/free-threaded
    quietly cmake --preset release -B "$build" -DTEMPER_PYTHON=ON -DTEMPER_BUILD_STUDIO=OFF \
        -DPython_EXECUTABLE="$(free_threaded_python)"
    quietly cmake --build "$build" --target temper_python
    echo "subdirs(\"$build/python\")" >"$1/CTestTestfile.cmake"
}

# run_in MODE: a subshell, which ends what it starts.
run_in() (
    busy='' command=() start=$SECONDS status=0 log=$TEMPER_ROOT/build/release/modes/$1.log
    folder=$(mktemp -d)  # ctest writes there
    trap 'rm -rf "$folder"; [[ -z $busy ]] || kill "$busy"' EXIT
    echo "subdirs(\"$TEMPER_ROOT/build/release\")" >"$folder/CTestTestfile.cmake"
    case $1 in
    slow-clock)
        "${as_nobody[@]}" test -x "${TEMPER_ORT_ORACLE:-$TEMPER_ROOT/build/ort-oracle}/bin/python" ||
            say "the user nobody can't run the real ONNX Runtime: its tests are skipped"
        chown -R nobody "$folder"
        command=("${as_nobody[@]}" env HOME="$folder" TEMPER_SCREENS="$folder/screens"
            TEMPER_CLOCK_FACTOR=5 LD_PRELOAD="$TEMPER_ROOT/build/release/tests/libslow_clock.so"
            QTEST_FUNCTION_TIMEOUT=$((5 * 300000)))  # Qt Test's limit, by these clocks
        ;;
    busy-core)
        while kill -0 $$; do :; done 2>/dev/null &
        busy=$!
        ;;
    free-threaded) make_free_threaded "$folder" ;;
    *) command=(env TEMPER_MAX_CPU_ISA="$1") ;;
    esac
    "${command[@]}" ctest --test-dir "$folder" --output-on-failure \
        --parallel "$(($(nproc) + 1))" >"$log" 2>&1 || status=$?
    count=$(grep 'tests passed' "$log") || count='no tests ran' status=1
    printf '%-12s %s, %d s\n' "$1" "$count" "$((SECONDS - start))"
    sed -n '/^The following tests/,$p' "$log"
    tell_of_oracle "$folder/Testing/Temporary/LastTest.log"
    exit "$status"
)

known=(sse41 avx2 avx512_core slow-clock busy-core free-threaded)
case ${1:-} in
-h | --help) usage && exit ;;
esac
modes=("$@")
(($# > 0)) || modes=("${known[@]}")
for mode in "${modes[@]}"; do
    [[ " ${known[*]} " == *" $mode "* ]] || {
        say "error: there is no mode '$mode'; there are: ${known[*]}"
        exit 2
    }
done

install_packages build studio mpi test
configure release
build release
mkdir -p "$TEMPER_ROOT/build/release/modes"
status=0
for mode in "${modes[@]}"; do
    if is_possible "$mode"; then
        run_in "$mode" || status=1
    else
        say "left out, as this processor or user can't: $mode"
    fi
done
exit "$status"
