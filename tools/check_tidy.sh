#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: tools/check_tidy.sh [SECONDS]
# Runs clang-tidy (.clang-tidy) over our sources, the changed ones first; files left when the
# seconds are over (default: no limit) are counted and named as not checked. Each source is checked
# separately: with the compile commands of build/tidy, which is configured, not built. The window's
# sources are left to the compiler's warnings: Qt's headers take clang-tidy longer than all of the
# engine.
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$TEMPER_ROOT/tools/common.sh"
cd "$TEMPER_ROOT"

folder=build/tidy
sources=('engine/*.cpp' 'app/cli/*.cpp' 'capi/src/*.cpp' 'python/src/*.cpp' 'resources/*.cpp')
export TIDY_FOLDER=$folder TIDY_DEADLINE=$(($(date +%s) + ${1:-86400}))

cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTEMPER_JOINT_SOURCES=OFF \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DTEMPER_BUILD_STUDIO=OFF -DTEMPER_BUILD_TESTS=OFF >/dev/null
cmake --build "$folder" --target temper_generated_headers >/dev/null

# compiled_files: sources that this build compiles; others have no compile command.
compiled_files() {
    git ls-files "${sources[@]}" | while read -r file; do
        if grep -qF "\"$PWD/$file\"" "$folder/compile_commands.json"; then echo "$file"; fi
    done
}

check_one() {
    if (($(date +%s) >= TIDY_DEADLINE)); then
        echo "not checked: $1"
        return 0
    fi
    local findings
    findings=$(clang-tidy --quiet -p "$TIDY_FOLDER" "$1" 2>/dev/null) ||
        { printf '%s\nfails: %s\n' "$findings" "$1" && return 1; }
}
export -f check_one

# The file names pass as arguments, never as code.
all=$(compiled_files)
status=0
output=$({ changed_files "${sources[@]}" | grep -xF "$all" || true; echo "$all"; } |
    awk '!seen[$0]++' | xargs -r -P "$(nproc)" -I{} bash -c 'check_one "$1"' check_one {}) ||
    status=$?
# What fails is last: those who see only the end of a log need it.
unchecked=$(grep '^not checked: ' <<<"$output" | sed 's/^not checked: //') || true
[[ -z $unchecked ]] || say "not checked, for want of time, $(wc -l <<<"$unchecked") files:" \
    $unchecked
grep -v '^not checked: ' <<<"$output" || true
exit "$status"
