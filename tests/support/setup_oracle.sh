#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the real ONNX Runtime, which tests compare with, into build/ort-oracle: a Python
# environment with what it needs from PyPI (about 360 MB), made by the setup.sh of
# ../shared/tools/ort-oracle, and in its folder `scripts` a copy of the scripts there. Running it
# again brings the copy up to date and fetches only what changed.
# usage: setup_oracle.sh [FOLDER]     another place of ort-oracle
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
# What is no Python environment was left by a version before; the folder is this script's own.
[ -f "$target/pyvenv.cfg" ] || rm -rf "$target"
sh "$source/setup.sh" "$target"

# The tests take a folder with these scripts for a whole oracle: they come last, and at once.
rm -rf "$target/scripts" "$target/scripts.new"
cp -R "$source" "$target/scripts.new"
chmod -R u+w "$target/scripts.new"
mv "$target/scripts.new" "$target/scripts"
echo "ONNX Runtime for tests: $target"
