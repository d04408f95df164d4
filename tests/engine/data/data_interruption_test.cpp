// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/interruption.h"
#include "engine/data/open_data.h"
#include "tests/engine/data/data_test_support.h"

namespace temper::test {
namespace {

/// Opening data, which may take long, ends on request.
class DataInterruptionTest : public QObject {
    Q_OBJECT

private slots:
    void openingIsInterrupted_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("table") << "a.csv" << QByteArray("x,label\n1,a\n2,b\n");
        QTest::newRow("objects") << "a.jsonl" << QByteArray("{\"x\": 1, \"label\": \"a\"}\n");
        QTest::newRow("pictures") << "cats/a.png" << QByteArray("not read");
    }

    void openingIsInterrupted() {
        QFETCH(const QString, name);
        QFETCH(const QByteArray, content);
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("cats"));
        const std::string path = folder.filePath(name).toStdString();
        writeText(path, content);
        const InterruptionScope scope([] { return true; });
        QVERIFY_THROWS_EXCEPTION(Interrupted,
                                 openData(name.contains('/') ? folder.path().toStdString() : path));
    }
};

}  // namespace
}  // namespace temper::test

QTEST_APPLESS_MAIN(temper::test::DataInterruptionTest)
#include "data_interruption_test.moc"
