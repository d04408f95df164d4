#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
    cat <<'END'
usage: tools/make_man_pages.sh PROGRAM FOLDER

Makes the manual pages of temper (one page for it and one for each of its subcommands) or of
temper-studio in FOLDER, compressed, from what PROGRAM prints for --help. Their date is that of
SOURCE_DATE_EPOCH, else today's. The installation does this; the build does not.
END
}

case ${1:-} in
-h | --help) usage && exit ;;
esac
(($# == 2)) || { usage >&2 && exit 2; }

program=$1 folder=$2
name=$(basename "$program")
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)
export LC_ALL=C.UTF-8 QT_QPA_PLATFORM=offscreen
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch XDG_CONFIG_HOME=$scratch XDG_RUNTIME_DIR=$scratch TEMPER_NO_PLUGINS=1
version=$("$program" --version | awk 'NR == 1 { print $2 }')

# body SECTIONS WORD...: the help of a command.
body() {
    local sections=$1
    shift
    "$program" "$@" --help | awk -v sections="$sections" -f "$TEMPER_ROOT/installer/help_to_man.awk"
}

# subcommands_of WORD...: their names.
subcommands_of() {
    "$program" "$@" --help |
        awk '/^Subcommands:$/ { on = 1; next } !/^  /{ on = 0 } on && /^  [^ ]/ { print $1 }'
}

# summary WORD...: the first sentence of the help.
summary() {
    "$program" "$@" --help | awk 'NF && !/^Usage: / { sub(/\.$/, ""); print; exit }'
}

# begin PAGE SUMMARY
begin() {
    printf '.\\" Made from --help by tools/make_man_pages.sh.\n'
    printf '.TH "%s" 1 "%s" "Temper %s" "User Commands"\n' "${1^^}" "$date" "$version"
    printf '.ad l\n.SH NAME\n%s \\- %s\n' "${1//-/\\-}" "$2"
}

# see_also PAGE...
see_also() {
    local pages
    pages=$(printf '.BR %s (1),\n' "${@//-/\\-}")
    printf '.SH "SEE ALSO"\n%s\n' "${pages%,}"
}

exit_status() {
    cat <<'END'
.SH "EXIT STATUS"
.TP
0
What was asked for was done.
.TP
1
It was not: a failed check, a file that can not be written, a defect.
.TP
2
The command line or a file that it names is wrong; the message says what to do.
END
}

finish() { gzip -9n >"$folder/$1.1.gz"; }

# subcommand_page SUBCOMMAND: with its own subcommands, one section each.
subcommand_page() {
    local inner
    {
        begin "temper-$1" "$(summary "$1")"
        body 1 "$1"
        for inner in $(subcommands_of "$1"); do
            printf '.SH "TEMPER %s %s"\n' "${1^^}" "${inner^^}"
            body 0 "$1" "$inner"
        done
        exit_status
        see_also temper
    } | finish "temper-$1"
}

mkdir -p "$folder"
if [[ $name == temper-studio ]]; then
    {
        begin temper-studio "$(summary)"
        body 1
        see_also temper
    } | finish temper-studio
    exit
fi
# 'temper studio' starts the other program: its page is that program's.
mapfile -t commands < <(subcommands_of | grep -vx studio)
{
    begin temper "$(summary)"
    body 1
    exit_status
    see_also "${commands[@]/#/temper-}" temper-studio
} | finish temper
for command in "${commands[@]}"; do subcommand_page "$command"; done
