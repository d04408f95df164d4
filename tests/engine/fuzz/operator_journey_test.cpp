// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <chrono>
#include <cstdio>
#include <map>

#include "tests/engine/fuzz/model_journey.h"
#include "tests/engine/fuzz/operator_test_rows.h"

namespace temper::test {

constexpr size_t kLargestModel = 1 << 20;

/// inspect, artifacts, a step and an export over all of ONNX's operator tests: every refusal is an
/// Error. Prints how many models got how far.
class OperatorJourneyTest : public QObject {
    Q_OBJECT

private slots:
    void everyOperatorIsTrainedOrRefused_data();
    void everyOperatorIsTrainedOrRefused();
};

void OperatorJourneyTest::everyOperatorIsTrainedOrRefused_data() { addOperatorTests(); }

void OperatorJourneyTest::everyOperatorIsTrainedOrRefused() {
    QFETCH(QString, folder);
    const auto models = operatorModels(folder.toStdString(), kLargestModel);
    QVERIFY(!models.empty());
    std::map<std::string, std::pair<int, int>> counts;  // succeeded, refused
    QStringList faults;
    for (const OperatorModel& model : models) {
        try {
            for (const auto& [command, refusal] :
                 journeyOf(std::as_bytes(std::span(model.bytes)))) {
                ++(refusal.empty() ? counts[command].first : counts[command].second);
            }
        } catch (const std::exception& error) {
            faults << QString("%1: %2").arg(model.name.c_str(), error.what());
        }
    }
    std::printf("%zu models\n", models.size());
    for (const auto& [command, count] : counts) {
        std::printf("%-10s %5d through, %5d refused\n", command.c_str(), count.first, count.second);
    }
    for (const QString& fault : faults) std::printf("%s\n", qPrintable(fault));
    QCOMPARE(faults.size(), 0);  // they are printed above
    QVERIFY(counts["export"].first > 0);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OperatorJourneyTest)
#include "operator_journey_test.moc"
