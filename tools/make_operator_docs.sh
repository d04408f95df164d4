#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/operators.md: the content of the registries, and what the tests of operators covered.
# usage: tools/make_operator_docs.sh [BUILD_FOLDER]    (default build/release)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${1:-build/release}
cases=$(mktemp)
trap 'rm -f "$cases"' EXIT
tests=$(ctest --test-dir "$build" -N -L '^ops$' | awk '/Test +#/ { print $NF }')

# shellcheck disable=SC2086
cmake --build "$build" --target temper_operator_table $tests >/dev/null
for test in $tests; do
    [[ $test == operator_docs_test ]] && continue
    QT_QPA_PLATFORM=offscreen TEMPER_OPERATOR_CASES=$cases "$build/tests/$test" >/dev/null ||
        echo "warning: $test failed; what it did not pass is not in the table" >&2
done
"$build/tests/temper_operator_table" "$cases" \
    tests/engine/ops/operator_table/onnx_versions.txt >docs/operators.md
sed -n 3p docs/operators.md
