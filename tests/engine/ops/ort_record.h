// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>
#include <filesystem>
#include <vector>

#include "tests/engine/ops/gradient_cases.h"

namespace temper::test {

// ONNX Runtime's results for our own cases, kept in a small file beside the tests. If the
// environment variable TEMPER_RECORD_ORT is set, the runtime (tests/support/oracle.h) is run again
// and the file is rewritten.

/// ONNX Runtime's outputs for a case.
/// Throws: Error(Internal) with its message if it rejects the case.
Results ortResults(const OpCase& opCase);

/// Runs all cases in ONNX Runtime and writes "case/output" arrays.
void recordOrt(const std::vector<GradientCase>& cases, const std::filesystem::path& file);

/// Compares a case with the record. Returns: the difference, or an empty string.
QString differenceFromOrt(const GradientCase& oneCase, const std::filesystem::path& file,
                          const Tolerance& tolerance = {1e-5, 2e-6});

}  // namespace temper::test
