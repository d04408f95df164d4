#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fails if a C++ file differs from clang-format's output. With --fix it is rewritten.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode=(--dry-run -Werror)
[[ ${1:-} == --fix ]] && mode=(-i)
git ls-files -z '*.cpp' '*.h' ':!*/third_party/*' | xargs -0 -r -n 20 -P "$(nproc)" clang-format "${mode[@]}"
