// SPDX-License-Identifier: Apache-2.0
#include <model_generated.h>

#include <QTest>
#include <filesystem>
#include <set>

#include "engine/core/file.h"
#include "engine/ort/kernel_types.h"

namespace temper::test {

namespace fs = std::filesystem;

const fs::path kOrtFormat =
    fs::path(TEMPER_CONFORMANCE_DIR) / "ort" / "training_api" / "ort_format";

/// Kernel types compared with those that ONNX Runtime wrote itself.
class KernelTypesTest : public QObject {
    Q_OBJECT

private slots:
    void theyAreThoseOfOnnxRuntime_data();
    void theyAreThoseOfOnnxRuntime();
    void theVersionInForceIsChosen_data();
    void theVersionInForceIsChosen();
    void unknownOperatorsHaveNone();
};

/// "T i0 o0; Tind i1".
static QString describe(const KernelTypes& types) {
    QString text;
    for (const auto& [key, arguments] : types.constraints) {
        text += (text.isEmpty() ? "" : "; ") + QString::fromStdString(key);
        for (const FormalArgument& argument : arguments) {
            text += (argument.isOutput ? " o" : " i") + QString::number(argument.index);
        }
    }
    return text;
}

static KernelTypes typesOf(const fbs::OpIdKernelTypeStrArgsEntry& entry) {
    KernelTypes types;
    for (const auto* constraint : *entry.kernel_type_str_args()) {
        auto& arguments = types.constraints[constraint->kernel_type_str()->str()];
        for (const auto* argument : *constraint->args()) {
            arguments.push_back({argument->arg_type() == fbs::ArgType::OUTPUT, argument->index()});
        }
    }
    return types;
}

/// One row for each operator of ONNX Runtime's files.
void KernelTypesTest::theyAreThoseOfOnnxRuntime_data() {
    QTest::addColumn<QString>("domain");
    QTest::addColumn<QString>("op");
    QTest::addColumn<int>("version");
    QTest::addColumn<QString>("expected");
    std::set<std::string> seen;
    for (const char* name : {"training_model.ort", "eval_model.ort", "optimizer_model.ort"}) {
        const std::string bytes = readFile(kOrtFormat / name);
        const auto* root = fbs::GetInferenceSession(bytes.data());
        for (const auto* entry : *root->kernel_type_str_resolver()->op_kernel_type_str_args()) {
            const std::string id = entry->op_id()->str();
            if (!seen.insert(id).second) continue;
            const QStringList parts = QString::fromStdString(id).split(':');
            QTest::newRow(id.c_str())
                << parts[0] << parts[1] << parts[2].toInt() << describe(typesOf(*entry));
        }
    }
}

void KernelTypesTest::theyAreThoseOfOnnxRuntime() {
    QFETCH(QString, domain);
    QFETCH(QString, op);
    QFETCH(int, version);
    QFETCH(QString, expected);
    const auto types = kernelTypesOf(domain.toStdString(), op.toStdString(), version);
    QVERIFY(types.has_value());
    QCOMPARE(types->sinceVersion, version);
    QCOMPARE(describe(*types), expected);
}

/// From the changelog of ONNX's operators.
void KernelTypesTest::theVersionInForceIsChosen_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<int>("opset");
    QTest::addColumn<int>("since");
    QTest::addColumn<QString>("expected");
    QTest::newRow("ReduceSum, axes as attribute") << "ReduceSum" << 12 << 11 << "T i0 o0";
    QTest::newRow("ReduceSum, axes as input") << "ReduceSum" << 17 << 13 << "T i0 o0; axes i1";
    QTest::newRow("ReduceMean, axes as attribute") << "ReduceMean" << 17 << 13 << "T i0 o0";
    QTest::newRow("ReduceMean, axes as input") << "ReduceMean" << 18 << 18 << "T i0 o0; axes i1";
    QTest::newRow("Reshape, newest") << "Reshape" << 21 << 21 << "T i0 o0; shape i1";
    QTest::newRow("Cast, between") << "Cast" << 20 << 19 << "T1 i0; T2 o0";
    QTest::newRow("Gemm") << "Gemm" << 21 << 13 << "T i0 i1 i2 o0";
}

void KernelTypesTest::theVersionInForceIsChosen() {
    QFETCH(QString, op);
    QFETCH(int, opset);
    QFETCH(int, since);
    QFETCH(QString, expected);
    const auto types = kernelTypesOf("", op.toStdString(), opset);
    QVERIFY(types.has_value());
    QCOMPARE(types->sinceVersion, since);
    QCOMPARE(describe(*types), expected);
}

void KernelTypesTest::unknownOperatorsHaveNone() {
    QVERIFY(!kernelTypesOf("my.domain", "Gemm", 13));
    QVERIFY(!kernelTypesOf("", "Strange", 13));
    QVERIFY(!kernelTypesOf("", "Gelu", 17));  // since 20
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::KernelTypesTest)
#include "kernel_types_test.moc"
