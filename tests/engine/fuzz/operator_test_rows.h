// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>

#include "tests/engine/fuzz/operator_models.h"
#include "tests/support/recent_onnx_tests.h"

namespace temper::test {

/// A row with the column "folder" for each of operatorTests(); skips the test without any.
inline void addOperatorTests() {
    QTest::addColumn<QString>("folder");
    if (operatorTests().empty()) QSKIP("ONNX's operator tests are not here");
    for (const std::filesystem::path& folder : operatorTests()) {
        const bool isRecent = folder == recentOnnxTests();
        QTest::newRow(isRecent ? "ONNX 1.23" : "libonnx-testdata") << QString(folder.c_str());
    }
}

}  // namespace temper::test
