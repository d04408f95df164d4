// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/data/data_health.h"
#include "tests/engine/data/open_data_support.h"
#include "tests/support/bad_files.h"

using namespace temper;
using namespace temper::test;

namespace {

const QString kDigits =
    QStringLiteral("/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz");

const QByteArray kFlowers =
    "length,width,species\n"
    "5.1,3.5,setosa\n"
    "7.0,3.2,versicolor\n"
    "6.3,3.3,virginica\n"
    "4.9,3.0,setosa\n";

/// One row of the given number of features, and y.
QByteArray wideTable(int columns) {
    QByteArray names, numbers;
    for (int i = 0; i < columns; ++i) {
        names += "column-" + QByteArray::number(i) + ',';
        numbers += QByteArray::number(i % 10) + ',';
    }
    return names + "y\n" + numbers + "1\n";
}

}  // namespace

/// Tables: which columns, types and classes they have, and what is wrong with bad ones.
class OpenTableTest : public QObject {
    Q_OBJECT

private slots:
    void aTableGivesFeaturesAndClasses() {
        const OpenedData data = open("mem.csv", kFlowers);
        QCOMPARE(data.training->size(), int64_t{4});
        QVERIFY(data.evaluation == nullptr);
        const Column& features = data.training->columns()[0];
        QCOMPARE(features.shape, Shape{2});
        QCOMPARE(features.elements, (std::vector<std::string>{"length", "width"}));
        const Column& target = data.training->columns()[1];
        QCOMPARE(target.name, std::string("species"));
        QVERIFY(target.isTarget);
        QCOMPARE(target.classes, (std::vector<std::string>{"setosa", "versicolor", "virginica"}));
        QCOMPARE(labelsOf(*data.training), (std::vector<int64_t>{0, 1, 2, 0}));
        QCOMPARE(floatsOf(*data.training, 0)[2], 7.0F);
        const std::string text = describeData(data);
        for (const char* fact : {"4 training samples", "no evaluation samples", "3 classes",
                                 "setosa", "float32 [2]", "length, width"}) {
            QVERIFY2(text.find(fact) != std::string::npos, text.c_str());
        }
    }

    void tablesAreReadInManyForms_data() {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QByteArray>("content");
        const QByteArray plain = "a,b,y\n1,2,0\n3,4,1\n";
        QTest::newRow("plain") << "" << plain;
        QTest::newRow("no line end at the end") << "" << plain.chopped(1);
        QTest::newRow("Windows line ends") << "" << QByteArray(plain).replace("\n", "\r\n");
        QTest::newRow("blank lines") << "" << QByteArray(plain).replace("\n", "\n\n");
        QTest::newRow("byte order mark") << ""
                                         << "\xEF\xBB\xBF" + plain;
        QTest::newRow("spaces") << "" << QByteArray(plain).replace(",", " , ");
        QTest::newRow("quotes") << ""
                                << QByteArray("\"a\",\"b\",\"y\"\n\"1\",2,0\n3,\"4\",\"1\"\n");
        QTest::newRow("byte order mark and quotes")
            << "" << QByteArray("\xEF\xBB\xBF\"a\",b,y\n1,2,0\n3,4,1\n");
        QTest::newRow("semicolons") << "?sep=;" << QByteArray(plain).replace(",", ";");
        QTest::newRow("tabs") << "?sep=tab" << QByteArray(plain).replace(",", "\t");
        QTest::newRow("semicolons, not told") << "" << QByteArray(plain).replace(",", ";");
        QTest::newRow("tabs, not told") << "" << QByteArray(plain).replace(",", "\t");
        QTest::newRow("bars, not told") << "" << QByteArray(plain).replace(",", "|");
        QTest::newRow("decimal commas")
            << "" << QByteArray("a;b;y\r\n1,0;+2,00;0\r\n0,3e1;4,0;1\r\n");
        QTest::newRow("decimal commas without header")
            << "" << QByteArray("1,0;2,0;0\n3,0;4,0;1\n");
        QTest::newRow("separators in quotes")
            << "?features=a,b&target=y" << QByteArray("a,b,\"c;d\",y\n1,2,\";\",0\n3,4,x,1\n");
        QTest::newRow("signs and exponents") << "" << QByteArray("a,b,y\n+1,2e0,0\n3.0,.4e1,1\n");
        QTest::newRow("other order")
            << "?features=a,b&target=y" << QByteArray("y,b,c,a\n0,2,9,1\n1,4,9,3\n");
        QTest::newRow("no header") << "" << QByteArray("1,2,0\n3,4,1\n");
        QTest::newRow("classes told")
            << "?task=classification&target=y" << QByteArray("a,b,y\n1,2,5\n3,4,7.0\n");
        QTest::newRow("compressed") << "" << gzipped(plain);
    }

    void tablesAreReadInManyForms() {
        QFETCH(QString, options);
        QFETCH(QByteArray, content);
        const OpenedData data = open("csv:mem.csv" + options.toStdString(), content);
        QCOMPARE(floatsOf(*data.training, 0), (std::vector<float>{1, 2, 3, 4}));
        QCOMPARE(labelsOf(*data.training), (std::vector<int64_t>{0, 1}));
    }

    void decimalCommasAreReadBetweenSemicolons_data() {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<float>("value");
        QTest::newRow("thousands") << QByteArray("1.234.567,5") << 1234567.5F;
        QTest::newRow("negative") << QByteArray("-0,25") << -0.25F;
        QTest::newRow("point") << QByteArray("1.5") << 1.5F;
        QTest::newRow("exponent") << QByteArray("2,5E-1") << 0.25F;
    }

    void decimalCommasAreReadBetweenSemicolons() {
        QFETCH(QByteArray, field);
        QFETCH(float, value);
        const OpenedData data =
            open("csv:mem.csv?target=y&task=regression", "x;y\n" + field + ";0,5\n0;1,5\n");
        QCOMPARE(floatsOf(*data.training, 0), (std::vector<float>{value, 0}));
        QCOMPARE(floatsOf(*data.training, 1), (std::vector<float>{0.5F, 1.5F}));
    }

    void commasThatAreNotDecimalSignsStay() {
        for (const char* field : {"1,", ",5", "1.23,4", "1,2,3", "a,5", "1..2,3"}) {
            const QByteArray text = QByteArray("x;y\n1;") + field + "\n2;b\n";
            const OpenedData data = open("csv:mem.csv?target=y", text);
            QVERIFY2(data.training->columns()[1].classes.at(0) == field ||
                         data.training->columns()[1].classes.at(1) == field,
                     field);
        }
    }

    void numbersThatAreNotClassesAreTargetsOfRegression() {
        const OpenedData data = open("csv:mem.csv?target=p,q", "a,p,q\n1,2,3\n4,5,6\n");
        QCOMPARE(data.training->columns()[1].shape, Shape{2});
        QCOMPARE(floatsOf(*data.training, 1), (std::vector<float>{2, 3, 5, 6}));
        const OpenedData price = open("csv:mem.csv?target=price", "a,price\n1,2.5\n4,5\n");
        QCOMPARE(price.training->columns()[1].shape, Shape{1});
        QVERIFY(price.training->columns()[1].classes.empty());
    }

    void aSampleTakenForTheNamesOfColumnsIsReported_data() {
        QTest::addColumn<QByteArray>("firstRow");
        QTest::addColumn<QString>("options");
        QTest::addColumn<bool>("isReported");
        const auto row = [](const char* name, const char* first, const char* options, bool is) {
            QTest::newRow(name) << QByteArray(first) << QString(options) << is;
        };
        row("a sample", "5.1,3.5,1.4,setosa", "", true);
        row("a number", "length,1.5,depth,kind", "", true);
        row("names", "length,width,depth,kind", "", false);
        row("columns that are counted", "0,1,2,kind", "", false);
        row("years", "2019,2020,2021,kind", "", false);
        row("a sample, as asked", "5.1,3.5,1.4,setosa", "?header=no", false);
        row("names, as asked", "5.1,3.5,1.4,setosa", "?header=yes", false);
    }

    void aSampleTakenForTheNamesOfColumnsIsReported() {
        QFETCH(QByteArray, firstRow);
        QFETCH(QString, options);
        QFETCH(bool, isReported);
        const OpenedData data = open("csv:mem.csv" + options.toStdString(),
                                     firstRow + "\n4.9,3.0,1.4,setosa\n7.0,3.2,4.7,virginica\n");
        QCOMPARE(std::ranges::count(data.findings, "D125", &Finding::code), isReported ? 1 : 0);
    }

    void badTablesAreRefusedWithTheLine_data() {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* options, const QByteArray& content,
                            const char* message) {
            QTest::newRow(name) << QString::fromUtf8(options) << content
                                << QString::fromUtf8(message);
        };
        row("empty", "", "", "is empty");
        row("header only", "", "a,b,y\n", "no rows");
        row("one field too few", "", "a,b,y\n1,2,0\n\n3,1\n", "line 4: the row has 2 fields");
        row("one field too many", "", "a,b,y\r\n1,2,0\r\n3,4,1,5\r\n", "line 3: the row has 4");
        row("bad number", "", "a,b,y\n1,2,0\n3,4x,1\n5,6,0\n", "line 3, column 'b'");
        row("bad number after a line break in quotes", "",
            "a,b,y\n1,\"2\",\"x\ny\"\n3,4,z\n5,6x,z\n7,8,z\n", "line 5, column 'b'");
        row("number out of range", "", "a,b,y\n1,2,0\n3,1e999,1\n5,6,0\n", "line 3, column 'b'");
        row("stray quote", "", "a,b,y\n1,2\"3,0\n", "line 2");
        row("quote without end", "", "a,b,y\n1,\"2,0\n3,4,1\n", "line 2");
        row("column named twice", "", "a,a,y\n1,2,0\n", "'a' twice");
        row("a sample with equal numbers first", "", "1,1,no\n1,2,yes\n", "'1' twice");
        row("missing value", "", "a,b,y\n1,2,0\n3,,1\n", "first one in line 3, column 'b'");
        row("missing target", "", "a,b,y\n1,2,NA\n3,4,1\n", "first one in line 2, column 'y'");
        row("unknown target", "?target=z", "a,b,y\n1,2,0\n", "has no column 'z'");
        row("unknown feature", "?features=a,q", "a,b,y\n1,2,0\n", "has no column 'q'");
        row("short row between semicolons", "", "a;b;y\n1;2;0\n3;4\n5;6;1\n", "line 3");
        row("wrong separator", "?sep=;", "a,b,y\n1,2,0\n", "no columns besides the target");
        row("all rows incomplete", "?missing=drop", "a,b,y\n,2,0\n", "no row without missing");
        row("separator of two characters", "?sep=ab", "a,b,y\n1,2,0\n", "'sep' is 'ab'");
        row("split beyond 1", "?split=1.5", "a,b,y\n1,2,0\n3,4,1\n", "not between 0 and 1");
        row("split not a number", "?split=most", "a,b,y\n1,2,0\n3,4,1\n", "'split' is 'most'");
        row("unknown normalization", "?normalize=magic", "a,b,y\n1,2,0\n3,4,1\n", "one of none");
        row("deviation of 0", "?std=0", "a,b,y\n1,2,0\n3,4,1\n", "numbers above 0");
        row("too many means", "?mean=1,2,3", "a,b,y\n1,2,0\n3,4,1\n", "do not match column");
        row("means for half of the columns", "?mean=1,2", "a,b,c,d,y\n1,2,3,4,0\n",
            "2 means and 2 deviations do not match column 'features' of shape [4]; expected 1 or "
            "4");
        row("damaged gzip", "", gzipped("a,b,y\n1,2,0\n").chopped(9), "mem.csv");
        row("binary", "", QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR,", 17), "is binary");
        row("spreadsheet", "", QByteArray("PK\3\4\x14\6[Content_Types].xml"), "as CSV");
        row("UTF-16", "", QByteArray("\xFF\xFE\x61\0,\0b\0\n\0", 10), "UTF-16");
    }

    void badTablesAreRefusedWithTheLine() {
        QFETCH(QString, options);
        QFETCH(QByteArray, content);
        QFETCH(QString, message);
        const QString error =
            errorOf([&] { open("csv:mem.csv" + options.toStdString(), content); });
        QVERIFY2(error.contains(message), qPrintable(error));
        compareWithBadFiles("Table, CSV or TSV", error);
    }

    /// Ten times the columns take about ten times as long, not a hundred times.
    void aTableOfManyColumnsIsReadAtOnce() {
        constexpr int kColumns = 60'000;
        const QByteArray few = wideTable(kColumns / 10), many = wideTable(kColumns);
        const auto milliseconds = [](const QByteArray& table) {
            QElapsedTimer timer;
            timer.start();
            open("csv:mem.csv?target=y", table);
            return static_cast<double>(timer.nsecsElapsed()) / 1e6;
        };
        double ratio = 1e9;  // other programs can only add to a time
        for (int attempt = 0; attempt < 3; ++attempt)
            ratio = std::min(ratio, milliseconds(many) / milliseconds(few));
        QVERIFY2(ratio < 40, qPrintable(QString::number(ratio)));
        const OpenedData data = open("csv:mem.csv?target=y", many);
        QCOMPARE(data.training->columns()[0].shape, Shape{kColumns});
        const QString error = errorOf([&] { open("csv:mem.csv?target=z", many); });
        QVERIFY2(error.contains("and 59981 more") && error.size() < 1000, qPrintable(error));
    }

    void rowsWithoutValuesAreDroppedOrFilled() {
        const QByteArray content = "a,y\n1,0\n,1\n5,1\n4,?\n";
        const OpenedData dropped = open("mem.csv?missing=drop", content);
        QCOMPARE(floatsOf(*dropped.training, 0), (std::vector<float>{1, 5}));
        const OpenedData filledIn = open("mem.csv?missing=mean", content);
        QCOMPARE(floatsOf(*filledIn.training, 0), (std::vector<float>{1, 3, 5}));
        QCOMPARE(filledIn.findings.size(), size_t{1});
        QCOMPARE(filledIn.findings[0].code, std::string("D110"));
        QVERIFY(checkData(*filledIn.training).empty());
    }

    void theDigitsOfScikitLearnAreRead() {
        if (!QFile::exists(kDigits)) QSKIP("needs the package python3-sklearn");
        const OpenedData data = openData(kDigits.toStdString() + "?split=0.8");
        QCOMPARE(data.training->size(), int64_t{1438});
        QCOMPARE(data.evaluation->size(), int64_t{359});
        QCOMPARE(data.training->columns()[0].shape, Shape{64});
        QCOMPARE(data.training->columns()[1].classes.size(), size_t{10});
    }
};

QTEST_APPLESS_MAIN(OpenTableTest)
#include "open_table_test.moc"
