#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$TEMPER_ROOT/tools/common.sh"

usage() {
    cat <<'END'
usage: tools/fuzz.sh [--seconds N] [--jobs N] [--processes N] [--list] [TARGET...]

Builds the preset "fuzz" (clang, with address and undefined behaviour sanitizers) and gives every
target, or those named, N seconds (default 10) of processor time with inputs that libFuzzer makes
up; other work of the machine does not count. So many targets run at the same time as --jobs says
(default: one per core), each in as many processes as --processes says (default 1), which share its
time and its corpus. The corpus lies in build/fuzz/corpus/TARGET and grows from run to run. An input
that crashes, leaks, takes 10 s or 2 GB is kept as build/fuzz/faults/TARGET-*; the target goes on
until its time is used, and the script ends with 1. Prints executions, processor time and faults per
target.
END
}

seconds=10 jobs=$(nproc) processes=1 list=false targets=()
while (($# > 0)); do
    case $1 in
    --seconds | --jobs | --processes)
        [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || {
            say "error: $1 is '${2:-}'; expected a number above 0"
            exit 2
        }
        ;;&
    -h | --help) usage && exit ;;
    --seconds) seconds=$2 && shift ;;
    --jobs) jobs=$2 && shift ;;
    --processes) processes=$2 && shift ;;
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

# cpu_seconds PID: the processor time that it has used.
cpu_seconds() {
    local stat
    stat=$(<"/proc/$1/stat") || return 1
    read -ra stat <<<"${stat##*) }"
    echo $(((stat[11] + stat[12]) / $(getconf CLK_TCK)))
}

# start_process TARGET NUMBER: its log stays beside the corpus.
start_process() {
    TEMPER_FUZZ_TARGET=$1 UBSAN_OPTIONS=print_stacktrace=1 "$fuzzer" "corpus/$1" \
        -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="faults/$1-" -print_final_stats=1 >"logs/$1-$2.log" 2>&1 &
    pids[$2]=$!
}

executions() { awk '/number_of_executed_units/ { sum += $2 } END { print sum + 0 }' "$@"; }

# fuzz TARGET: prints one line with the result.
fuzz() {
    local target=$1 corpus=corpus/$1 executed=0 faults=0 ended=0 used now number spent=() pids=()
    mkdir -p "$corpus" faults logs
    rm -f "logs/$target"-*.log
    TEMPER_FUZZ_TARGET=$target TEMPER_FUZZ_SEEDS=$corpus "$fuzzer"
    for ((number = 0; number < processes; ++number)); do
        start_process "$target" "$number"
    done
    while ((${#pids[@]} > 0)); do
        sleep 0.5
        used=$ended
        for number in "${!pids[@]}"; do
            now=$(cpu_seconds "${pids[number]}" 2>/dev/null) && spent[number]=$now
            used=$((used + ${spent[number]:-0}))
        done
        for number in "${!pids[@]}"; do
            if kill -0 "${pids[number]}" 2>/dev/null; then
                ((used < seconds)) || kill -USR1 "${pids[number]}" 2>/dev/null || true
                continue  # this lets it end and print its numbers
            fi
            ended=$((ended + ${spent[number]:-0}))
            executed=$((executed + $(executions "logs/$target-$number.log")))
            if ! wait "${pids[number]}"; then
                faults=$((faults + 1))
                say "$target, fault $faults:"
                tail -n 40 "logs/$target-$number.log" >&2
            fi
            unset "pids[number]" "spent[number]"
            ((used >= seconds || faults >= 20)) || start_process "$target" "$number"
        done
    done
    printf '%-14s %10s executions %5s s %8s inputs kept  %s\n' "$target" "$executed" "$ended" \
        "$(ls "$corpus" | wc -l)" "$( ((faults == 0)) && echo ok || echo "$faults FAULTS")"
    ((faults == 0))
}
export -f fuzz cpu_seconds start_process executions say
export fuzzer seconds processes

printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz {}' || {
    say "Faulty inputs are in build/fuzz/faults; once more: TEMPER_FUZZ_TARGET=... $fuzzer FILE"
    exit 1
}
