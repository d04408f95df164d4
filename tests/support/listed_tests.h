// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace temper::test {

/// Lines "<name>: <reason>" of a list in tests/engine/ops; '#' starts a comment. A name with
/// " (libonnx 1.17)" counts only with the tests of that version.
std::map<std::string, std::string> listedOnnxTests(const std::string& file);

/// The tests in known_failures.txt, e.g. "node/test_dft_inverse".
const std::map<std::string, std::string>& knownOnnxFailures();

}  // namespace temper::test
