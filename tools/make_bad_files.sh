#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/bad_files.md: the errors for bad files, from the tests that open them.
# usage: tools/make_bad_files.sh [BUILD_FOLDER]    (default build/release)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${1:-build/release} table=docs/bad_files.md
tests=$(grep -rl --include='*_test.cpp' 'compareWithBadFiles(' tests | xargs -n1 basename -s .cpp)
# shellcheck disable=SC2086
cmake --build "$build" --target $tests >&2
rm -f $table
for test in $tests; do
    QT_QPA_PLATFORM=offscreen TEMPER_WRITE_BAD_FILES=1 "$build/tests/$test" >/dev/null ||
        echo "warning: $test failed; what it did not pass is not in the table" >&2
done
awk '/^## / { formats++ } /^\| / && !/^\| What is wrong/ { rows++ }
     END { printf "%d bad files of %d kinds\n", rows, formats }' $table
