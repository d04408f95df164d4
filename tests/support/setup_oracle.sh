#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the real ONNX Runtime, with which tests compare, into build/ort-oracle: a Python
# environment with the needed packages from PyPI (about 360 MB), made by the setup.sh of
# ../shared/tools/ort-oracle, and a copy of that folder's scripts in its folder `scripts`. A further
# run updates the copy and fetches only what changed.
# usage: setup_oracle.sh [FOLDER]     another location of ort-oracle
# exit codes: 2 no ort-oracle there, 3 no Python 3.11 (Debian 12's) or no python3-venv
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
source=${1:-$root/../shared/tools/ort-oracle}
target=$root/build/ort-oracle

if [ ! -f "$source/setup.sh" ] || [ ! -f "$source/server.py" ]; then
    echo "error: there is no ort-oracle: $source" >&2
    echo "  hint: name its folder: $0 FOLDER" >&2
    exit 2
fi
# Anything but a Python environment is left from an earlier version; the folder is this script's
# own.
[ -f "$target/pyvenv.cfg" ] || rm -rf "$target"
sh "$source/setup.sh" "$target"

# The tests consider a folder with these scripts a complete oracle: they are added last, atomically.
rm -rf "$target/scripts" "$target/scripts.new"
cp -R "$source" "$target/scripts.new"
chmod -R u+w "$target/scripts.new"
mv "$target/scripts.new" "$target/scripts"
echo "ONNX Runtime for tests: $target"
