#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$TEMPER_ROOT/tools/common.sh"

usage() {
    cat <<'END'
usage: tools/fuzz.sh [--seconds N] [--jobs N] [--list] [TARGET...]

Builds the preset "fuzz" (clang, with address and undefined behaviour sanitizers) and gives every
target, or those named, N seconds (default 10) of processor time with inputs that libFuzzer makes
up; other work of the machine does not count. The corpus lies in
build/fuzz/corpus/TARGET and grows from run to run; an input that crashes, leaks, takes 10 s or
2 GB is kept as build/fuzz/faults/TARGET-*, and the script ends with 1. Prints executions and
processor time per target.
END
}

seconds=10 jobs=$(nproc) list=false targets=()
while (($# > 0)); do
    case $1 in
    --seconds | --jobs)
        [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || {
            say "error: $1 is '${2:-}'; expected a number above 0"
            exit 2
        }
        ;;&
    -h | --help) usage && exit ;;
    --seconds) seconds=$2 && shift ;;
    --jobs) jobs=$2 && shift ;;
    --list) list=true ;;
    -*) say "error: unknown option '$1'" && usage >&2 && exit 2 ;;
    *) targets+=("$1") ;;
    esac
    shift
done

configure fuzz
build fuzz temper_fuzzer
cd "$TEMPER_ROOT/build/fuzz"
fuzzer=$PWD/bin/temper_fuzzer
mapfile -t known < <("$fuzzer")
$list && printf '%s\n' "${known[@]}" && exit
((${#targets[@]} > 0)) || targets=("${known[@]}")
for target in "${targets[@]}"; do
    [[ " ${known[*]} " == *" $target "* ]] || {
        say "error: there is no target '$target'; there are: ${known[*]}"
        exit 2
    }
done

# cpu_seconds PID: the processor time that it has taken.
cpu_seconds() {
    local stat
    stat=$(<"/proc/$1/stat") || return 1
    read -ra stat <<<"${stat##*) }"
    echo $(((stat[11] + stat[12]) / $(getconf CLK_TCK)))
}

# fuzz TARGET: one line with what came of it; the log stays beside the corpus.
fuzz() {
    local target=$1 corpus=corpus/$1 log=logs/$1.log status=ok used=0 pid
    mkdir -p "$corpus" faults logs
    TEMPER_FUZZ_TARGET=$target TEMPER_FUZZ_SEEDS=$corpus "$fuzzer"
    TEMPER_FUZZ_TARGET=$target UBSAN_OPTIONS=print_stacktrace=1 "$fuzzer" "$corpus" \
        -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="faults/$target-" -print_final_stats=1 >"$log" 2>&1 &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        used=$(cpu_seconds "$pid" 2>/dev/null || echo "$used")
        ((used < seconds)) || kill -USR1 "$pid" 2>/dev/null || true  # it ends with its numbers
        sleep 0.5
    done
    wait "$pid" || status=FAULT
    printf '%-14s %10s executions %5s s %8s inputs kept  %s\n' "$target" \
        "$(awk '/number_of_executed_units/ { print $2 }' "$log")" "$used" "$(ls "$corpus" | wc -l)" \
        "$status"
    [[ $status == ok ]] || tail -n 40 "$log" >&2
    [[ $status == ok ]]
}
export -f fuzz cpu_seconds
export fuzzer seconds

printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz {}' || {
    say "Faulty inputs are in build/fuzz/faults; once more: TEMPER_FUZZ_TARGET=... $fuzzer FILE"
    exit 1
}
