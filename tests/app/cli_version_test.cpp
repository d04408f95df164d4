// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>
#include <QTest>
#include <algorithm>

#include "app/cli/version.h"
#include "tests/support/reference_device.h"

namespace temper::test {

/// What `temper --version` and reports say about the devices.
class CliVersionTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { addReferenceDevice(); }

    void eachDeviceHasALine() {
        const QStringList lines = QString::fromStdString(cli::versionText()).split('\n');
        QCOMPARE(lines.filter(QRegularExpression("^device cpu(: .+)?, \\d+ threads$")).size(), 1);
        QVERIFY2(lines.contains("device reference"), qPrintable(lines.join('\n')));
    }

    void whatRanksCompareSaysNothingAboutTheMachine() {
        const QString build = QString::fromStdString(cli::buildText());
        QVERIFY(build.startsWith("temper ") && build.contains("oneDNN"));
        QVERIFY2(!build.contains("device"), qPrintable(build));
        QVERIFY(QString::fromStdString(cli::versionText()).startsWith(build));
    }

    void aRunRecordsItsOwnDeviceAndThreads() {
        const auto recorded = [](const SessionOptions& session, const std::string& label) {
            const LabelledValues all = cli::environmentOfRun(session);
            const auto found = std::ranges::find(all, label, &LabelledValues::value_type::first);
            return found == all.end() ? std::string() : found->second;
        };
        QVERIFY(recorded({}, "device").starts_with("cpu"));
        QCOMPARE(recorded({.device = "reference"}, "device"), std::string("reference"));
        QCOMPARE(recorded({.threads = 3}, "threads"), std::string("3"));
    }
};

}  // namespace temper::test

QTEST_APPLESS_MAIN(temper::test::CliVersionTest)
#include "cli_version_test.moc"
