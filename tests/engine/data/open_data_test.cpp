// SPDX-License-Identifier: Apache-2.0
#include "engine/data/open_data.h"

#include <QTest>

#include "engine/data/idx_file.h"
#include "tests/engine/data/open_data_support.h"

using namespace temper;
using namespace temper::test;

/// Specifications of data, and what its parts have to do with each other.
class OpenDataTest : public QObject {
    Q_OBJECT

private slots:
    void specificationsAreParsed_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("canonical");
        QTest::newRow("kind and path") << "csv:iris.txt"
                                       << "csv:iris.txt";
        QTest::newRow("kind told by the name") << "a/iris.csv"
                                               << "csv:a/iris.csv";
        QTest::newRow("compressed table") << "iris.tsv.gz"
                                          << "tsv:iris.tsv.gz";
        QTest::newRow("MNIST") << "t10k-images-idx3-ubyte.gz"
                               << "idx:t10k-images-idx3-ubyte.gz";
        QTest::newRow("objects") << "a.jsonl.gz"
                                 << "jsonl:a.jsonl.gz";
        QTest::newRow("archive") << "x.npz?target=y"
                                 << "npz:x.npz?target=y";
        QTest::newRow("options are sorted") << "csv:a.csv?target=y&split=0.8&"
                                            << "csv:a.csv?split=0.8&target=y";
        QTest::newRow("encoded option") << "csv:a?target=a%26b%25"
                                        << "csv:a?target=a%26b%25";
        QTest::newRow("colon in the path") << "npz:C:/x"
                                           << "npz:C:/x";
    }

    void specificationsAreParsed() {
        QFETCH(QString, text);
        QFETCH(QString, canonical);
        const DataSpec spec = parseDataSpec(text.toStdString());
        QCOMPARE(QString::fromStdString(formatDataSpec(spec)), canonical);
        QCOMPARE(parseDataSpec(formatDataSpec(spec)), spec);
    }

    void badSpecificationsAreRefused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        QTest::newRow("nothing") << ""
                                 << "has no file";
        QTest::newRow("kind only") << "csv:"
                                   << "has no file";
        QTest::newRow("unknown kind") << "parquet:x.csv"
                                      << "no data kind is called 'parquet'";
        QTest::newRow("text") << "text:words.txt"
                              << "'text' is not supported: Temper has no tokenizer";
        QTest::newRow("unknown file type") << "weights.bin"
                                           << "Unknown file type: 'weights.bin'.";
        QTest::newRow("unknown option") << "npz:x?sep=;"
                                        << "has no option 'sep'";
        QTest::newRow("option without value") << "csv:x?target"
                                              << "The data option 'target' has no value.";
        QTest::newRow("option without name") << "csv:x?=y"
                                             << "The data option '=y' has no name.";
        QTest::newRow("option given twice") << "csv:x?seed=1&seed=2"
                                            << "given twice";
    }

    void badSpecificationsAreRefused() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const QString error = errorOf([&] { parseDataSpec(text.toStdString()); });
        QVERIFY2(error.contains(message), qPrintable(error));
    }

    void onlyTheTrainingSamplesDecideOnClassesAndNormalisation() {
        const FileResolver files = resolverOf({{"train.csv", "a,y\n1,dog\n3,cat\n"},
                                               {"test.csv", "a,y\n5,dog\n100,dog\n"},
                                               {"odd.csv", "a,y\n5,dog\n1,bird\n"}});
        const OpenedData data = openData("train.csv?normalize=standard&test=test.csv", {}, files);
        QCOMPARE(data.normalization.at("features"), (Normalization{{2}, {1}}));
        QCOMPARE(floatsOf(*data.training, 0), (std::vector<float>{-1, 1}));
        QCOMPARE(floatsOf(*data.evaluation, 0), (std::vector<float>{3, 98}));
        QCOMPARE(labelsOf(*data.evaluation), (std::vector<int64_t>{1, 1}));
        QCOMPARE(data.evaluation->columns()[1].classes, (std::vector<std::string>{"cat", "dog"}));
        const OpenedData other = openData("train.csv?normalize=standard", "test.csv", files);
        QCOMPARE(floatsOf(*other.evaluation, 0), (std::vector<float>{3, 98}));
        const QString error = errorOf([&] { openData("train.csv", "odd.csv", files); });
        QVERIFY2(error.contains(QStringLiteral("'odd.csv', line 3, column 'y'")),
                 qPrintable(error));
    }

    void aSplitNormalisesByItsTrainingPart() {
        QByteArray content = "a,y\n";
        for (int i = 0; i < 50; ++i) content += QByteArray::number(i * i) + ",0.5\n";
        const OpenedData data = open("mem.csv?split=0.6&seed=4&normalize=standard", content);
        QCOMPARE(data.training->size(), int64_t{30});
        QCOMPARE(data.evaluation->size(), int64_t{20});
        const Normalization after = measureNormalization(*data.training, 0, 1);
        QVERIFY(std::abs(after.mean[0]) < 1e-6 && std::abs(after.deviation[0] - 1) < 1e-6);
        const Normalization rest = measureNormalization(*data.evaluation, 0, 1);
        QVERIFY(std::abs(rest.mean[0]) > 1e-6);
        const OpenedData same = open("mem.csv?split=0.6&seed=4&normalize=standard", content);
        QCOMPARE(floatsOf(*same.evaluation, 0), floatsOf(*data.evaluation, 0));
        QVERIFY(describeData(data).find("40 % of the samples, drawn with seed 4") !=
                std::string::npos);
    }

    void filesThatDoNotExistAreNamed() {
        for (const char* spec : {"csv:no.csv", "idx:no-images-idx3-ubyte", "npz:no.npz",
                                 "npy:no.npy", "lesson:no/no.csv"}) {
            const QString error = errorOf([&] { openData(spec); });
            QVERIFY2(error.contains(QStringLiteral("no")) && !error.isEmpty(), qPrintable(error));
        }
    }
};

QTEST_APPLESS_MAIN(OpenDataTest)
#include "open_data_test.moc"
