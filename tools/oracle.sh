# SPDX-License-Identifier: Apache-2.0
# What ./test and .ci/run do with the real ONNX Runtime, which some tests compare with
# (tests/support/oracle.h). Sourced by bash after tools/common.sh.

# Tests without the runtime are skipped, which is easily overlooked: the reason, or empty.
oracle_problem=

# prepare_oracle: installs the runtime; if it can't, says so and sets oracle_problem.
prepare_oracle() {
    [[ -n ${TEMPER_ORT_ORACLE:-} ]] && return 0
    quietly "$TEMPER_ROOT/tests/support/setup_oracle.sh" && return 0
    oracle_problem="tests/support/setup_oracle.sh failed"
    warn_without_oracle
}

# prepare_onnx_tests: the operator tests of a newer ONNX than Debian's; without them, its test is
# skipped.
prepare_onnx_tests() {
    [[ -n ${TEMPER_ONNX_NODE_TESTS:-} ]] && return 0
    quietly "$TEMPER_ROOT/tests/support/setup_onnx_tests.sh" && return 0
    say "WARNING: tests/support/setup_onnx_tests.sh failed: the operator tests of ONNX 1.23 are skipped."
}

warn_without_oracle() {
    [[ -n $oracle_problem ]] || return 0
    say "WARNING: the real ONNX Runtime is not set up: $oracle_problem."
    say "WARNING: The tests that compare with it are skipped (ctest -L oracle)."
}

# tell_of_oracle LOG: how much of a test run, of which this is ctest's LastTest.log, was compared with
# the runtime, and what was skipped without it; silent if no test that ran needs it.
tell_of_oracle() {
    [[ -f $1 ]] || return 0
    awk '
        /^ONNX Runtime ran [0-9]+ scripts$/ { scripts += $4; ++programs }
        /^SKIP .*the real ONNX Runtime is absent/ { ++skipped }
        END {
            if (programs + skipped == 0) exit
            printf "Compared with ONNX Runtime: %d test programs (%d scripts); ", programs, scripts
            print skipped + 0 " tests skipped because it is not set up"
        }' "$1" >&2
}
