#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: tools/check_tidy.sh [BUILD-FOLDER [SECONDS]]
# Runs clang-tidy (.clang-tidy) over our sources, the changed ones first; files that are left when
# the seconds are over (default: no limit) are counted and named as not checked. The build folder
# (default: build/release) has to be built, for its compile commands and generated headers.
# The window's sources are left to the compiler's warnings: Qt's headers take clang-tidy longer than
# all of the engine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:-build/release}
sources=('engine/*.cpp' 'app/cli/*.cpp' 'resources/*.cpp')
export TIDY_FOLDER=$folder TIDY_DEADLINE=$(($(date +%s) + ${2:-86400}))

# changed_files: sources that differ from the main branch, where there is one to compare with.
changed_files() {
    local base
    base=$(git merge-base HEAD origin/main 2>/dev/null) || return 0
    git diff --name-only --diff-filter=d "$base" -- "${sources[@]}"
}

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
    clang-tidy --quiet -p "$TIDY_FOLDER" "$1" 2>/dev/null
}
export -f check_one

# The file names pass as arguments, never as code.
{ changed_files; compiled_files; } | awk '!seen[$0]++' |
    xargs -r -P "$(nproc)" -I{} bash -c 'check_one "$1"' check_one {}
