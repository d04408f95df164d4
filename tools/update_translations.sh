#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$TEMPER_ROOT/tools/common.sh"

usage() {
    cat <<'END'
usage: tools/update_translations.sh [FOLDER PROGRAM]

Brings resources/translations/*.ts, or those in FOLDER, up to date with the sources: new texts come
in as unfinished, those that are gone go. Translate the unfinished ones with linguist or an editor.
English has only what depends on a number: singular and plural. PROGRAM prints the texts of the
engine's tables: temper_engine_texts, by default that of build/release, which is built.
END
}

case ${1:-} in
-h | --help) usage && exit ;;
esac

folder=${1:-$TEMPER_ROOT/resources/translations}
program=${2:-$TEMPER_ROOT/build/release/tests/temper_engine_texts}
PATH=/usr/lib/qt6/bin:$PATH
command -v lupdate >/dev/null || {
    say "error: lupdate is not there"
    say "  hint: apt-get install qt6-l10n-tools"
    exit 1
}

cd "$TEMPER_ROOT"
if (($# < 2)); then
    configure release
    build release temper_engine_texts
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$program" >"$scratch/engine_texts.cpp"
for file in "$folder"/temper_*.ts; do
    options=(-no-obsolete -locations none)
    [[ $file == */temper_en.ts ]] && options+=(-pluralonly)
    lupdate -silent "${options[@]}" -I . -recursive ui app/studio "$scratch/engine_texts.cpp" \
        -ts "$file"
done
