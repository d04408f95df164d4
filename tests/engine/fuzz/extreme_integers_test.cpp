// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/fuzz/extreme_integers.h"

#include <QTest>
#include <cstdio>
#include <span>

#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/ops/op_set.h"
#include "engine/training/opset/opset_conversion.h"
#include "tests/engine/fuzz/journey_target.h"
#include "tests/engine/fuzz/operator_test_rows.h"

namespace temper::test {

constexpr size_t kLargestModel = 20'000;
constexpr int kModelsOfAPlace = 2;

/// All of ONNX's operator tests with numbers like 2^63 - 1 in place of each integer of an attribute
/// or a small constant: inspect, artifacts, a step, an export and a conversion to another opset
/// take the model or refuse it with an Error. Prints how many models there were.
class ExtremeIntegersTest : public QObject {
    Q_OBJECT

private slots:
    void everyIntegerIsTakenOrRefused_data();
    void everyIntegerIsTakenOrRefused();
};

static void convert(const std::string& bytes, int64_t opset) {
    static const OpSet ops = standardOps();
    try {
        const auto model = parseModel(std::as_bytes(std::span(bytes)), "model");
        convertOpset(*model, ops.catalog, opset);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Internal) throw;
    }
}

void ExtremeIntegersTest::everyIntegerIsTakenOrRefused_data() { addOperatorTests(); }

void ExtremeIntegersTest::everyIntegerIsTakenOrRefused() {
    QFETCH(QString, folder);
    const auto models = operatorModels(folder.toStdString(), kLargestModel);
    QVERIFY(!models.empty());
    SeenPlaces seen;
    int count = 0;
    QStringList faults;
    for (const OperatorModel& model : models) {
        if (!model.name.ends_with(", constants")) continue;
        forExtremeIntegers(model, seen, kModelsOfAPlace,
                           [&](const std::string& what, const std::string& bytes) {
                               ++count;
                               try {
                                   runJourney(std::as_bytes(std::span(bytes)));
                                   for (const int64_t opset : {9, 24}) convert(bytes, opset);
                               } catch (const std::exception& error) {
                                   faults << QString("%1: %2").arg(what.c_str(), error.what());
                               }
                           });
    }
    std::printf("%zu places, %d models\n", seen.size(), count);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
    QVERIFY(count > 1000);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ExtremeIntegersTest)
#include "extreme_integers_test.moc"
