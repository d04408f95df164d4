#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes the operator tests of ONNX 1.23 (opsets up to 28, which Debian's libonnx-testdata lacks) in
# build/onnx-tests/node, with the onnx package from PyPI (about 190 MB with its environment) in
# build/onnx-tests/env. A further run does nothing unless the version or the script has changed.
# usage: setup_onnx_tests.sh
# exit codes: 3 no Python with venv
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
target=$root/build/onnx-tests
script=$root/tests/support/make_onnx_node_tests.py
version=1.23.2

wanted="$version $(cksum <"$script")"
if [ "$(cat "$target/made" 2>/dev/null)" = "$wanted" ]; then
    echo "tests of ONNX: $target/node is up to date"
    exit 0
fi
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    echo "error: $(command -v python3 || echo python3) has no venv module" >&2
    echo "  hint: apt-get install python3-venv" >&2
    exit 3
fi

rm -rf "$target"
python3 -m venv "$target/env"
"$target/env/bin/python" -m pip --disable-pip-version-check --quiet install --only-binary :all: \
    "onnx==$version"
"$target/env/bin/python" -W ignore "$script" "$target/node"
echo "$wanted" >"$target/made"
