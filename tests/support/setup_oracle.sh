#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the real ONNX Runtime 1.19.2, with which tests compare, into build/ort-oracle: a Python
# environment with both of its builds and what the scripts in tests/support/oracle need, from PyPI
# (about 360 MB). A further run does nothing unless the requirements there have changed.
# usage: setup_oracle.sh
# exit codes: 3 no Python 3.11 (Debian 12's) or no python3-venv
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
scripts=$root/tests/support/oracle
target=$root/build/ort-oracle
# The tests consider a folder with this file a complete oracle: it is written last.
installed=$target/ort-oracle-installed

is_311() { "$1" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; }

wanted=$(cat "$scripts/requirements.txt" "$scripts/requirements-native.txt" | cksum)
if [ "$(cat "$installed" 2>/dev/null)" = "$wanted" ] && is_311 "$target/bin/python"; then
    exit 0
fi

python=
for name in python3.11 python3 /usr/bin/python3; do
    if is_311 "$name"; then
        python=$name
        break
    fi
done
if [ -z "$python" ]; then
    echo "error: no Python 3.11 found (python3 is $(python3 -V 2>&1 || echo absent))" >&2
    echo "  hint: the packages are those for Python 3.11, which is Debian 12's python3" >&2
    exit 3
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    echo "error: $python has no venv module" >&2
    echo "  hint: apt-get install python3-venv" >&2
    exit 3
fi

install() {
    "$target/bin/python" -m pip --disable-pip-version-check --quiet install --only-binary :all: "$@"
}

# The folder is this script's own: what is in it is of an earlier version.
rm -rf "$target"
"$python" -m venv "$target"
install --requirement "$scripts/requirements.txt"
# Both builds have the same package name.
install --no-deps --target "$target/native" --requirement "$scripts/requirements-native.txt"
echo "$wanted" >"$installed"
echo "ONNX Runtime for tests: $target"
