// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QRegularExpression>
#include <QStringList>
#include <QTest>
#include <algorithm>
#include <string>

#include "tests/support/listed_tests.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Adds a row for each of ONNX's node tests of these operators: `test_<stem>`, `test_<stem>_...`
/// and `test_<stem>` with a number, such as "and4d"; not for the known failures, which
/// onnx_node_test covers.
inline void addOnnxRows(const QStringList& stems) {
    QTest::addColumn<QString>("folder");
    const QDir root(QStringLiteral(TEMPER_ONNX_TESTDATA "/node"));
    const QRegularExpression wanted("^test_(" + stems.join('|') + ")(_.*|\\d.*)?$");
    const QStringList folders = root.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    for (const QString& folder : folders.filter(wanted)) {
        if (!knownOnnxFailures().contains("node/" + folder.toStdString()))
            QTest::newRow(qPrintable(folder)) << root.filePath(folder);
    }
    if (folders.isEmpty()) QTest::newRow("ONNX's tests are absent") << QString();
}

/// The problem of a row; empty if there is none. A test whose folder name contains an entry of
/// `unsupported` must be refused as unsupported: a list that may only shrink.
inline QString onnxProblem(const QString& folder, const QStringList& unsupported) {
    const std::string path = folder.toStdString();
    const Outcome outcome = runOnnxTest(path, onnxTolerance(path));
    const bool shouldPass =
        std::none_of(unsupported.begin(), unsupported.end(),
                     [&](const QString& part) { return folder.contains(part); });
    const QString message = QString::fromStdString(outcome.message);
    switch (outcome.kind) {
        case Outcome::Kind::Passed:
            return shouldPass ? QString() : QStringLiteral("passes; take it off the list");
        case Outcome::Kind::Unsupported: return shouldPass ? "unsupported: " + message : QString();
        case Outcome::Kind::Failed: break;
    }
    return "failed: " + message;
}

}  // namespace temper::test
