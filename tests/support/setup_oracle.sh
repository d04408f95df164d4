#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the real ONNX Runtime, which tests compare with, into build/ort-oracle: copies its
# scripts from ../shared/tools/ort-oracle and fetches the packages that they need (Node.js 20,
# npm, about 300 MB). Running it again brings the copy up to date and fetches only what changed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
source=${1:-$root/../shared/tools/ort-oracle}
target=$root/build/ort-oracle

if [ ! -f "$source/package-lock.json" ]; then
    echo "error: there is no ort-oracle: $source" >&2
    echo "  hint: name its folder: $0 FOLDER" >&2
    exit 2
fi
mkdir -p "$target"
cp -R "$source/." "$target/"
cd "$target"
if ! cmp -s package-lock.json node_modules/.installed-lock.json; then
    npm ci --ignore-scripts
    cp package-lock.json node_modules/.installed-lock.json
fi
echo "ONNX Runtime for tests: $target"
