// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <filesystem>
#include <set>

#include "engine/onnx/model_file.h"
#include "tests/support/op_check.h"

namespace fs = std::filesystem;
using temper::test::Outcome;

/// Operators that Temper lacks; cases that need one are skipped by name.
static const std::set<std::string> kLacking = {"com.microsoft.FakeQuant",
                                               "com.microsoft.FakeQuantGrad"};

/// Cases whose recorded outputs are errors of ONNX Runtime, see index.json there.
static const std::set<std::string> kWrongRecords = {"average_pool_grad_symbolic_batch"};

static fs::path casesFolder() { return fs::path(TEMPER_CONFORMANCE_DIR) / "ort/ops"; }

/// Training operators compared with ONNX Runtime's results.
class OrtOpsTest : public QObject {
    Q_OBJECT

private slots:
    void kernelAgreesWithOnnxRuntime_data();
    void kernelAgreesWithOnnxRuntime();
};

void OrtOpsTest::kernelAgreesWithOnnxRuntime_data() {
    QTest::addColumn<QString>("name");
    for (const auto& entry : fs::directory_iterator(casesFolder())) {
        if (!entry.is_directory()) continue;
        const std::string name = entry.path().filename().string();
        if (kWrongRecords.contains(name)) continue;
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
}

void OrtOpsTest::kernelAgreesWithOnnxRuntime() {
    QFETCH(QString, name);
    const auto model = temper::loadModel(casesFolder() / name.toStdString() / "model.onnx");
    for (const std::string& op : temper::test::missingOperators(*model)) {
        if (kLacking.contains(op)) QSKIP(("Temper lacks " + op).c_str());
    }
    const Outcome outcome = temper::test::runOrtCase(casesFolder() / name.toStdString());
    QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
}

QTEST_APPLESS_MAIN(OrtOpsTest)
#include "ort_ops_test.moc"
