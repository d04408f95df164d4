// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/engine/data/open_data_support.h"
#include "tests/support/bad_files.h"

using namespace temper;
using namespace temper::test;

/// Objects on lines (JSON).
class OpenObjectsTest : public QObject {
    Q_OBJECT

private slots:
    void objectsOnLinesAreData() {
        const OpenedData data =
            open("mem.jsonl",
                 "{\"x\": [[1, 2], [3, 4.5]], \"age\": 7, \"label\": \"dog\"}\n\n"
                 "{\"label\": \"cat\", \"x\": [[5, 6], [7, 8]], \"age\": 9.5}\r\n",
                 "mem.jsonl");
        QCOMPARE(data.training->size(), int64_t{2});
        const size_t x = data.training->columnIndex("x");
        QCOMPARE(data.training->columns()[x].shape, (Shape{2, 2}));
        QCOMPARE(floatsOf(*data.training, x), (std::vector<float>{1, 2, 3, 4.5, 5, 6, 7, 8}));
        QCOMPARE(floatsOf(*data.training, data.training->columnIndex("features")),
                 (std::vector<float>{7, 9.5}));
        const size_t label = data.training->columnIndex("label");
        QCOMPARE(data.training->columns()[label].classes, (std::vector<std::string>{"cat", "dog"}));
        QCOMPARE(labelsOf(*data.training, label), (std::vector<int64_t>{1, 0}));
    }

    void featuresOfObjectsHaveTheOrderThatIsGiven() {
        const QByteArray content = "{\"b\": 1, \"y\": 0, \"c\": 2, \"a\": 3}\n";
        const auto features = [&](const char* spec) {
            const OpenedData data = open(spec, content, "mem.jsonl");
            return floatsOf(*data.training, data.training->columnIndex("features"));
        };
        QCOMPARE(features("mem.jsonl?target=y"), (std::vector<float>{3, 1, 2}));
        QCOMPARE(features("mem.jsonl?target=y&features=c,b"), (std::vector<float>{2, 1}));
        QCOMPARE(features("mem.jsonl?target=y&features=b,c,a"), (std::vector<float>{1, 2, 3}));
    }

    void objectsMayHoldListsOnly() {
        const OpenedData data = open("mem.jsonl?target=out",
                                     "{\"in\": [1, 2], \"out\": [3, 4], \"bias\": 1}\n"
                                     "{\"in\": [5, 6], \"out\": [7, 8], \"bias\": 2}\n",
                                     "mem.jsonl");
        const size_t out = data.training->columnIndex("out");
        QVERIFY(data.training->columns()[out].isTarget);
        QCOMPARE(data.training->get(1, out).values<int64_t>()[1], int64_t{8});
        QCOMPARE(data.training->get(1, data.training->columnIndex("bias")).toInt64(), int64_t{2});
    }

    void badObjectsAreRefusedWithTheLine_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("message");
        const QByteArray good = "{\"x\": [1, 2], \"y\": 0}\n";
        QTest::newRow("no JSON") << good + "{\"x\": [1, 2]"
                                 << "line 2: the line is not a JSON object";
        QTest::newRow("no object") << good + "\n[1, 2]\n"
                                   << "line 3: the line is not a JSON object";
        QTest::newRow("other length") << good + "{\"x\": [1], \"y\": 0}"
                                      << "line 2: the value 'x' has shape [1]";
        QTest::newRow("missing list") << good + "{\"y\": 0}"
                                      << "line 2: the value 'x' is missing";
        QTest::newRow("missing target") << good + "{\"x\": [1, 2]}"
                                        << "first one in line 2, column 'y'";
        QTest::newRow("text in a list") << good + "{\"x\": [1, \"a\"], \"y\": 0}"
                                        << "line 2: the value 'x' holds";
        QTest::newRow("numbers and lists") << good + "{\"x\": [1, [2]], \"y\": 0}"
                                           << "line 2: the value 'x'";
        QTest::newRow("lists and numbers") << good + "{\"x\": [[1], 2], \"y\": 0}"
                                           << "line 2: the value 'x'";
        QTest::newRow("object as value")
            << QByteArray("{\"a\": {}, \"y\": 0}") << "line 1: the value 'a' is object";
        QTest::newRow("nothing") << QByteArray("\n \n") << "contains no JSON objects";
        QTest::newRow("empty objects") << QByteArray("{}\n{}\n") << "objects without values";
    }

    void badObjectsAreRefusedWithTheLine() {
        QFETCH(QByteArray, content);
        QFETCH(QString, message);
        const QString error = errorOf([&] { open("mem.jsonl", content, "mem.jsonl"); });
        QVERIFY2(error.contains(message), qPrintable(error));
        compareWithBadFiles("Objects, JSON lines", error);
    }

    void wholeNumbersBeyondInt64AreNumbers() {
        const OpenedData data =
            open("mem.jsonl?target=y", "{\"y\": 1, \"x\": [15555555555555555552, 2]}", "mem.jsonl");
        const Dataset& samples = *data.training;
        const size_t x = samples.columnIndex("x");
        QVERIFY(samples.columns()[x].dtype == DType::Float32);
        QCOMPARE(floatsOf(samples, x), (std::vector<float>{15555555555555555552.0F, 2}));
    }
};

QTEST_APPLESS_MAIN(OpenObjectsTest)
#include "open_objects_test.moc"
