// SPDX-License-Identifier: Apache-2.0
#include "engine/data/open_data.h"

#include <zlib.h>

#include "engine/data/csv_table.h"
#include "engine/data/data_health.h"
#include "engine/data/idx_file.h"
#include "engine/data/npz_file.h"
#include "tests/engine/data/data_test_support.h"
#include "tests/support/bad_files.h"

using namespace temper;
using namespace temper::test;

namespace {

const QString kFashion = QStringLiteral("/usr/share/datasets/fashion-mnist");
const QString kDigits =
    QStringLiteral("/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz");

const QByteArray kFlowers =
    "length,width,species\n"
    "5.1,3.5,setosa\n"
    "7.0,3.2,versicolor\n"
    "6.3,3.3,virginica\n"
    "4.9,3.0,setosa\n";

QByteArray gzipped(const QByteArray& content) {
    QByteArray result(content.size() + 1000, '\0');
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
    QByteArray input = content;
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    stream.avail_in = uInt(input.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = uInt(result.size());
    deflate(&stream, Z_FINISH);
    result.truncate(qsizetype(stream.total_out));
    deflateEnd(&stream);
    return result;
}

/// `count` images of 2x3 pixels, image i filled with i.
QByteArray idxImages(int count) {
    QByteArray bytes("\0\0\x08\x03\0\0\0", 7);
    bytes += char(count);
    bytes += QByteArray("\0\0\0\x02\0\0\0\x03", 8);
    for (int i = 0; i < count; ++i) bytes += QByteArray(6, char(i));
    return bytes;
}

QByteArray idxLabels(const QByteArray& labels) {
    return QByteArray("\0\0\x08\x01\0\0\0", 7) + char(labels.size()) + labels;
}

/// A resolver over named contents.
FileResolver resolverOf(std::map<std::string, QByteArray> files) {
    return [files = std::move(files)](
               const std::string& path) -> std::optional<std::span<const std::byte>> {
        const auto found = files.find(path);
        if (found == files.end()) return std::nullopt;
        return std::as_bytes(
            std::span<const char>(found->second.data(), size_t(found->second.size())));
    };
}

OpenedData open(const std::string& spec, const QByteArray& content,
                const std::string& path = "mem.csv") {
    return openData(spec, {}, resolverOf({{path, content}}));
}

std::vector<float> floatsOf(const Dataset& data, size_t column) {
    std::vector<float> all;
    for (int64_t i = 0; i < data.size(); ++i) {
        const Tensor sample = data.get(i, column);
        all.insert(all.end(), sample.values<float>().begin(), sample.values<float>().end());
    }
    return all;
}

std::vector<int64_t> labelsOf(const Dataset& data, size_t column = 1) {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < data.size(); ++i) all.push_back(data.get(i, column).toInt64());
    return all;
}

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

    void wholeNumbersAreWhatTheModelTakes_data() {
        using Kind = TargetForm::Kind;
        QTest::addColumn<QString>("numbers");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("modelClasses");
        QTest::addColumn<QString>("classes");  ///< empty: a number
        QTest::addColumn<QString>("values");
        const auto row = [](const char* name, const char* numbers, Kind kind, int modelClasses,
                            const char* classes, const char* values) {
            QTest::newRow(name) << numbers << int(kind) << modelClasses << classes << values;
        };
        row("from 1", "1 2 3", Kind::Classes, 3, "1 2 3", "0 1 2");
        row("with gaps", "7 0 1", Kind::Classes, 3, "0 1 7", "2 0 1");
        row("negative", "1 -1", Kind::Classes, 2, "-1 1", "1 0");
        row("in rising order of numbers", "10 9 100", Kind::Classes, 3, "9 10 100", "1 0 2");
        row("indices of the model's classes", "1 3", Kind::Classes, 4, "0 1 2 3", "1 3");
        row("indices and a stray label", "0 1 2 9 1", Kind::Classes, 3, "0 1 2 9", "0 1 2 3 1");
        row("indices, not all of them, and stray labels", "-1 0 2 2 0 77", Kind::Classes, 5,
            "0 1 2 3 4 -1 77", "5 0 2 2 0 6");
        row("from 1, and a stray label", "1 2 3 9 1 2", Kind::Classes, 3, "1 2 3 9", "0 1 2 3 0 1");
        row("indices by chance", "0 7 12 7 12", Kind::Classes, 2, "0 7 12", "0 1 2 1 2");
        row("more than the model has", "4 5 6", Kind::Classes, 2, "4 5 6", "0 1 2");
        row("no whole numbers", "1 2.5", Kind::Classes, 2, "", "1 2.5");
        row("numbers for the model", "1 2 3", Kind::Numbers, 0, "", "1 2 3");
        row("indices of classes in any case", "0 1 2", Kind::Numbers, 0, "0 1 2", "0 1 2");
        row("consecutive ones that come again", "4 5 4 5", Kind::Any, 0, "4 5", "0 1 0 1");
        row("a few that come again and again", "3 9 3 9 3 9 3 9 3 9", Kind::Any, 0, "3 9",
            "0 1 0 1 0 1 0 1 0 1");
        row("years", "1990 2004 1971", Kind::Any, 0, "", "1990 2004 1971");
    }

    void wholeNumbersAreWhatTheModelTakes() {
        QFETCH(QString, numbers);
        QFETCH(int, kind);
        QFETCH(int, modelClasses);
        QFETCH(QString, classes);
        QFETCH(QString, values);
        QByteArray content = "a,y\n";
        for (const QString& number : numbers.split(' ')) content += "1," + number.toUtf8() + "\n";
        const OpenedData data =
            openData("csv:mem.csv?target=y", {}, resolverOf({{"mem.csv", content}}), {},
                     {TargetForm::Kind(kind), modelClasses});
        const Column& target = data.training->columns()[1];
        QStringList found;
        for (const std::string& name : target.classes) found << QString::fromStdString(name);
        QCOMPARE(found.join(' '), classes);
        QStringList read;
        for (int64_t i = 0; i < data.training->size(); ++i)
            read << QString::number(
                data.training->get(i, 1).cast(DType::Float64).values<double>()[0]);
        QCOMPARE(read.join(' '), values);
        QCOMPARE(target.asNumbers, std::string("csv:mem.csv?target=y&task=regression"));
        QCOMPARE(target.asClasses, std::string("csv:mem.csv?target=y&task=classification"));
        if (classes == "0 1 7")
            QVERIFY(describeData(data).find("3 classes (0 as 0, 1 as 1, 7 as 2)") !=
                    std::string::npos);
    }

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

    void classesAreNumberedAsTheModelsAre_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<QList<int64_t>>("indices");
        using Indices = QList<int64_t>;
        const QStringList animals = {"cat", "ant", "bee"};
        QTest::newRow("texts") << "csv:mem.csv" << QByteArray("x,y\n1,bee\n2,ant\n3,bee\n")
                               << animals << Indices{2, 1, 2};
        QTest::newRow("objects") << "mem.jsonl"
                                 << QByteArray(
                                        "{\"x\": 1, \"y\": \"cat\"}\n{\"x\": 2, \"y\": \"bee\"}\n")
                                 << animals << Indices{0, 2};
        QTest::newRow("indices") << "csv:mem.csv?task=classification"
                                 << QByteArray("x,y\n1,1\n2,0\n3,1\n") << animals
                                 << Indices{1, 0, 1};
        QTest::newRow("other numbers") << "csv:mem.csv" << QByteArray("x,y\n1,7.0\n2,3\n3,7.0\n")
                                       << QStringList{"3", "5", "7"} << Indices{2, 0, 2};
    }

    void classesAreNumberedAsTheModelsAre() {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QFETCH(QStringList, names);
        QFETCH(QList<int64_t>, indices);
        TargetForm model{TargetForm::Kind::Classes, 3, {}};
        for (const QString& name : names) model.names.push_back(name.toStdString());
        const std::string spec = file.toStdString();
        const OpenedData data =
            openData(spec, {}, resolverOf({{pathIn(spec), content}}), {}, model);
        const size_t y = data.training->columnIndex("y");
        QCOMPARE(data.training->columns()[y].classes, model.names);
        QCOMPARE(labelsOf(*data.training, y),
                 (std::vector<int64_t>(indices.begin(), indices.end())));
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

    void integerLabelsOfArraysBecomeClasses_data() {
        QTest::addColumn<QList<int64_t>>("labels");
        QTest::addColumn<int64_t>("modelsClasses");
        QTest::addColumn<QList<int64_t>>("indices");
        QTest::addColumn<QString>("classes");
        using Labels = QList<int64_t>;
        QTest::newRow("indices") << Labels{0, 2, 1, 2} << int64_t{3} << Labels{0, 2, 1, 2}
                                 << "0 1 2";
        QTest::newRow("from 1") << Labels{1, 3, 2, 1, 2, 3} << int64_t{3}
                                << Labels{0, 2, 1, 0, 1, 2} << "1 2 3";
        QTest::newRow("with gaps")
            << Labels{0, 7, 1, 7, 1, 0} << int64_t{3} << Labels{0, 2, 1, 2, 1, 0} << "0 1 7";
        QTest::newRow("with gaps, of as many as the model has")
            << Labels{0, 7, 1, 7, 1, 0} << int64_t{8} << Labels{0, 7, 1, 7, 1, 0}
            << "0 1 2 3 4 5 6 7";
        QTest::newRow("minus 1 and 1")
            << Labels{-1, 1, 1, -1} << int64_t{2} << Labels{0, 1, 1, 0} << "-1 1";
        QTest::newRow("none is -100")
            << Labels{0, -100, 1, 0, 1, -100} << int64_t{3} << Labels{0, -100, 1, 0, 1, -100} << "";
        QTest::newRow("more than the model has")
            << Labels{1, 3, 2, 1, 2, 3} << int64_t{2} << Labels{1, 3, 2, 1, 2, 3} << "0 1 2 3";
        QTest::newRow("one that never comes again")
            << Labels{0, 1, 0, 1, 255} << int64_t{3} << Labels{0, 1, 0, 1, 255} << "0 1 2 ... 255";
    }

    void integerLabelsOfArraysBecomeClasses() {
        QFETCH(QList<int64_t>, labels);
        QFETCH(int64_t, modelsClasses);
        QFETCH(QList<int64_t>, indices);
        QFETCH(QString, classes);
        const QTemporaryDir folder;
        const std::string path = pathIn(folder, "x.npz");
        const auto rows = labels.size();
        writeNpz(path, {{"x", Tensor(DType::Float32, {rows, 2})},
                        {"y", Tensor::of<int64_t>({rows}, {labels.begin(), labels.end()})}});
        const OpenedData data =
            openData(path, path, {}, {}, {TargetForm::Kind::Classes, modelsClasses});
        for (const auto& part : {data.training, data.evaluation}) {
            const size_t y = part->columnIndex("y");
            for (qsizetype i = 0; i < rows; ++i) QCOMPARE(part->get(i, y).toInt64(), indices.at(i));
            const std::vector<std::string>& names = part->columns()[y].classes;
            QStringList shown;
            for (const std::string& name : names) shown.append(QString::fromStdString(name));
            if (shown.size() > 10) {
                shown = {shown[0], shown[1], shown[2], QStringLiteral("..."), shown.back()};
            }
            QCOMPARE(shown.join(' '), classes);
        }
        const bool isNumbered = describeData(data).find(" as 0") != std::string::npos;
        QCOMPARE(isNumbered, labels != indices);
    }

    void labelsBeyondTheModelsClassesAreLeftOutOnRequest_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("of an array") << "t.npz";
        QTest::newRow("of a table") << "t.csv";
        QTest::newRow("of objects") << "t.jsonl";
    }

    void labelsBeyondTheModelsClassesAreLeftOutOnRequest() {
        QFETCH(QString, name);
        const QTemporaryDir folder;
        const std::vector<int64_t> labels = {0, 1, 9, 2, -1, 1};
        std::string table = "x,y\n", objects;
        for (const int64_t label : labels) {
            table += "1," + std::to_string(label) + "\n";
            objects += "{\"x\": 1, \"y\": " + std::to_string(label) + "}\n";
        }
        writeText(pathIn(folder, "t.csv"), QByteArray::fromStdString(table));
        writeText(pathIn(folder, "t.jsonl"), QByteArray::fromStdString(objects));
        writeNpz(pathIn(folder, "t.npz"),
                 {{"x", Tensor(DType::Float32, {6, 2})}, {"y", Tensor::of<int64_t>({6}, labels)}});
        const std::string path = folder.filePath(name).toStdString();
        const TargetForm threeClasses{TargetForm::Kind::Classes, 3};
        const OpenedData data = openData(path + "?invalid=drop", {}, {}, {}, threeClasses);
        const size_t y = data.training->columnIndex("y");
        QCOMPARE(labelsOf(*data.training, y), (std::vector<int64_t>{0, 1, 2, 1}));
        QVERIFY(!data.training->columns()[y].hasNamedClasses());
        QCOMPARE(data.findings.front().message,
                 "Skipped 2 of 6 samples with NaN, infinity or a label that is not a class.");
        QCOMPARE(openData(path, {}, {}, {}, threeClasses).training->size(), int64_t{6});
    }

    void samplesCanBeLeftOut() {
        const QByteArray content = "a,y\n1,0\n2,1\n1,0\n3,1\n2,0\n4,1\n5,0\n1,1\n";
        const OpenedData all = open("mem.csv?split=0.5", content);
        QCOMPARE(all.training->size() + all.evaluation->size(), int64_t{8});
        const OpenedData data = open("mem.csv?split=0.5&duplicates=drop", content);
        std::vector<float> values = floatsOf(*data.training, 0);
        const std::vector<float> rest = floatsOf(*data.evaluation, 0);
        values.insert(values.end(), rest.begin(), rest.end());
        std::sort(values.begin(), values.end());
        QCOMPARE(values, (std::vector<float>{1, 2, 3, 4, 5}));
        QVERIFY(std::any_of(data.findings.begin(), data.findings.end(),
                            [](const Finding& finding) { return finding.code == "D113"; }));
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "x.npz");
        const float nan = std::nanf("");
        writeNpz(path, {{"x", Tensor::of<float>({4, 1}, {1, nan, 3, INFINITY})},
                        {"y", Tensor::of<int64_t>({4}, {0, 1, 2, 0})}});
        QCOMPARE(floatsOf(*openData(path + "?invalid=drop").training, 0),
                 (std::vector<float>{1, 3}));
        QCOMPARE(floatsOf(*openData(path + "?invalid=drop&classes=a,b").training, 0),
                 std::vector<float>{1});
    }

    void repeatedSamplesAndUnevenClassesAreFound() {
        QByteArray content = "a,y\n";
        for (int i = 0; i < 40; ++i) {
            content += QByteArray::number(i) + (i % 8 == 0 ? ",1\n" : ",0\n");
        }
        content += "3,0\n3,0\n";
        const FileResolver files = resolverOf({{"a.csv", content}, {"b.csv", "a,y\n7,0\n99,1\n"}});
        const OpenedData data = openData("a.csv?test=b.csv", {}, files);
        std::map<std::string, Finding> found;
        for (const Finding& finding : checkOpenedData(data)) found[finding.code] = finding;
        QCOMPARE(found.size(), size_t{3});
        QVERIFY(found.at("D106").message.starts_with("2 training samples"));
        QVERIFY(found.at("D107").message.starts_with("1 of 2 evaluation samples"));
        QVERIFY(found.at("D108").message.find("'0' (37)") != std::string::npos);
        const std::optional<DataFix> fix = fixFor(found.at("D106"), data.spec);
        QVERIFY(fix.has_value());
        const OpenedData mended =
            openData(withOption(data.spec, fix->option, fix->value), {}, files);
        QCOMPARE(mended.training->size(), int64_t{40});
        QCOMPARE(mended.evaluation->size(), int64_t{1});
        const std::vector<Finding> rest = checkOpenedData(mended);
        QCOMPARE(rest.size(), size_t{1});
        QVERIFY(!fixFor(found.at("D106"), mended.spec).has_value());
        QVERIFY(checkOpenedData(data, [] { return true; }).size() < 3);
    }

    void featuresFarFromOneAreFound_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("named");
        QTest::newRow("as they should be") << QByteArray("a,b,y\n1,-2,0\n-1,3,1\n") << "";
        QTest::newRow("one of two") << QByteArray("a,b,y\n1,-2000,0\n-1,3000,1\n") << "'b'";
        QTest::newRow("labels do not count") << QByteArray("a,b,y\n1,1,900\n-1,2,1000\n") << "";
    }

    void featuresFarFromOneAreFound() {
        QFETCH(QByteArray, content);
        QFETCH(QString, named);
        const FileResolver files = resolverOf({{"a.csv", content}});
        const OpenedData data = openData("a.csv?target=y", {}, files);
        const std::vector<Finding> findings = checkOpenedData(data);
        const auto found = std::ranges::find(findings, std::string("D109"), &Finding::code);
        QCOMPARE(found != findings.end(), !named.isEmpty());
        if (named.isEmpty()) return;
        QVERIFY2(found->message.find(named.toStdString() + " most of all") != std::string::npos,
                 found->message.c_str());
        QVERIFY(found->message.find("2550") != std::string::npos);  // root of (2000² + 3000²) / 2
        const std::optional<DataFix> fix = fixFor(*found, data.spec);
        QVERIFY(fix.has_value());
        const OpenedData mended =
            openData(withOption(data.spec, fix->option, fix->value), {}, files);
        for (const Finding& finding : checkOpenedData(mended)) QVERIFY(finding.code != "D109");
    }

    void balancedWeightsAreThoseOfScikitLearn() {
        // compute_class_weight("balanced", classes=[0, 1, 2], y=[0]*6 + [1]*3 + [2]*1)
        const std::vector<double> weights = balancedClassWeights({6, 3, 1});
        const double expected[] = {0.5555555555555556, 1.1111111111111112, 3.3333333333333335};
        for (size_t i = 0; i < 3; ++i) QVERIFY(std::abs(weights[i] - expected[i]) < 1e-12);
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

    void imagesAndLabelsAreFoundFromOnePath_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<bool>("compressed");
        QTest::newRow("images") << "my-images-idx3-ubyte" << false;
        QTest::newRow("labels") << "my-labels-idx1-ubyte" << false;
        QTest::newRow("compressed images") << "my-images-idx3-ubyte.gz" << true;
        QTest::newRow("compressed labels") << "my-labels-idx1-ubyte.gz" << true;
    }

    void imagesAndLabelsAreFoundFromOnePath() {
        QFETCH(QString, path);
        QFETCH(bool, compressed);
        const QByteArray images = idxImages(3);
        const QByteArray labels = idxLabels(QByteArray("\0\2\1", 3));
        const std::string end = compressed ? ".gz" : "";
        const OpenedData data = openData(
            path.toStdString(), {},
            resolverOf({{"my-images-idx3-ubyte" + end, compressed ? gzipped(images) : images},
                        {"my-labels-idx1-ubyte" + end, compressed ? gzipped(labels) : labels}}));
        QCOMPARE(data.training->columns()[0].shape, (Shape{1, 2, 3}));
        QCOMPARE(int(data.training->columns()[0].dtype), int(DType::Float32));
        QCOMPARE(floatsOf(*data.training, 0)[17], 2.0F / 255);
        QCOMPARE(labelsOf(*data.training), (std::vector<int64_t>{0, 2, 1}));
        QCOMPARE(data.training->columns()[1].classes.size(), size_t{3});
    }

    void badImagesAreRefusedByName_data() {
        QTest::addColumn<QByteArray>("images");
        QTest::addColumn<QByteArray>("labels");
        QTest::addColumn<QString>("message");
        const QByteArray images = idxImages(2);
        const QByteArray labels = idxLabels("\1\1");
        const auto row = [&](const char* name, const QByteArray& first, const QByteArray& second,
                             const char* message) {
            QTest::newRow(name) << first << second << QString::fromUtf8(message);
        };
        row("empty images", "", labels, "a-images-idx3-ubyte' is empty");
        row("empty labels", images, "", "a-labels-idx1-ubyte' is empty");
        row("truncated", images.chopped(1), labels, "has 11 bytes after the header");
        row("too long", images + "x", labels, "has 13 bytes after the header");
        row("header cut off", images.left(9), labels, "ends inside the IDX header");
        row("wrong magic", "P5" + images.mid(2), labels, "does not start like an IDX array");
        row("unknown type", QByteArray(images).replace(2, 1, "\x0A"), labels, "element type 10");
        row("rank 0", QByteArray("\0\0\x08\0", 4), labels, "rank 0");
        row("huge dimensions",
            QByteArray("\0\0\x0E\x03\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 16), labels,
            "needs more than a file can hold");
        row("other number of labels", images, idxLabels("\1\1\1"), "has 3 labels for the 2 images");
        row("labels of rank 3", images, images, "expected images [N, H, W] and labels [N]");
        row("random gzip", QByteArray("\x1F\x8B") + QByteArray(50, 'q'), labels, "gzip");
    }

    void badImagesAreRefusedByName() {
        QFETCH(QByteArray, images);
        QFETCH(QByteArray, labels);
        QFETCH(QString, message);
        const FileResolver files =
            resolverOf({{"a-images-idx3-ubyte", images}, {"a-labels-idx1-ubyte", labels}});
        const QString error = errorOf([&] { openData("idx:a-images-idx3-ubyte", {}, files); });
        QVERIFY2(error.contains(message), qPrintable(error));
        compareWithBadFiles("Images and labels, IDX", error);
    }

    void idxNumbersOfEveryTypeAreReadBigEndian_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("element");
        QTest::addColumn<int>("dtype");
        QTest::addColumn<double>("value");
        QTest::newRow("uint8") << 0x08 << QByteArray("\xFE") << int(DType::UInt8) << 254.0;
        QTest::newRow("int8") << 0x09 << QByteArray("\xFE") << int(DType::Int8) << -2.0;
        QTest::newRow("int16") << 0x0B << QByteArray("\xFF\xFE") << int(DType::Int16) << -2.0;
        QTest::newRow("int32") << 0x0C << QByteArray("\0\0\1\2", 4) << int(DType::Int32) << 258.0;
        QTest::newRow("float32") << 0x0D << QByteArray("\x3F\xC0\0\0", 4) << int(DType::Float32)
                                 << 1.5;
        QTest::newRow("float64") << 0x0E << QByteArray("\xC0\0\0\0\0\0\0\0", 8)
                                 << int(DType::Float64) << -2.0;
    }

    void idxNumbersOfEveryTypeAreReadBigEndian() {
        QFETCH(int, code);
        QFETCH(QByteArray, element);
        QFETCH(int, dtype);
        QFETCH(double, value);
        const QByteArray bytes =
            QByteArray("\0\0", 2) + char(code) + QByteArray("\1\0\0\0\1", 5) + element;
        const Tensor tensor =
            parseIdx({reinterpret_cast<const std::byte*>(bytes.data()), size_t(bytes.size())}, "a");
        QCOMPARE(int(tensor.dtype()), dtype);
        QCOMPARE(tensor.toDouble(), value);
    }

    void fashionMnistIsReadAsItsPublishersDescribeIt() {
        if (!QFile::exists(kFashion)) QSKIP("needs the package dataset-fashion-mnist");
        const OpenedData data = openData(kFashion.toStdString() + "?normalize=standard");
        QCOMPARE(data.training->size(), int64_t{60000});
        QCOMPARE(data.evaluation->size(), int64_t{10000});
        QCOMPARE(data.training->columns()[0].shape, (Shape{1, 28, 28}));
        // the published mean and standard deviation of the training pixels: 0.2860, 0.3530
        const Normalization& by = data.normalization.at("images");
        QVERIFY(std::abs(by.mean[0] / 255 - 0.2860) < 5e-5);
        QVERIFY(std::abs(by.deviation[0] / 255 - 0.3530) < 5e-5);
        QCOMPARE(countClasses(*data.training, 1), std::vector<int64_t>(10, 6000));
        QCOMPARE(labelsOf(*subset(data.training, {0, 1, 2, 3, 4})),
                 (std::vector<int64_t>{9, 0, 0, 3, 0}));
        QVERIFY(checkData(*data.evaluation).empty());
    }

    void theDigitsOfScikitLearnAreRead() {
        if (!QFile::exists(kDigits)) QSKIP("needs the package python3-sklearn");
        const OpenedData data = openData(kDigits.toStdString() + "?split=0.8");
        QCOMPARE(data.training->size(), int64_t{1438});
        QCOMPARE(data.evaluation->size(), int64_t{359});
        QCOMPARE(data.training->columns()[0].shape, Shape{64});
        QCOMPARE(data.training->columns()[1].classes.size(), size_t{10});
    }

    void arraysBecomeColumns() {
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "a.npz");
        writeNpz(path, {{"x", Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
                        {"mask", Tensor::of<bool>({2}, {true, false})},
                        {"labels", Tensor::of<int64_t>({2}, {0, 1})}});
        const OpenedData data = openData("npz:" + path);
        QCOMPARE(data.training->size(), int64_t{2});
        QCOMPARE(data.training->columns().size(), size_t{3});
        const Column& labels = data.training->columns()[data.training->columnIndex("labels")];
        QVERIFY(labels.isTarget && labels.classes.size() == 2 && labels.shape.empty());
        const OpenedData fewer = openData("npz:" + path + "?features=x&target=labels&classes=a,b");
        QCOMPARE(fewer.training->columns().size(), size_t{2});
        QCOMPARE(fewer.training->columns()[1].classes, (std::vector<std::string>{"a", "b"}));
    }

    void arraysCalledTrainAndTestAreTheTwoParts() {
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "mnist.npz");
        writeNpz(path, {{"x_train", Tensor(DType::UInt8, {3, 4, 4})},
                        {"y_train", Tensor::of<uint8_t>({3}, {0, 1, 2})},
                        {"x_test", Tensor(DType::UInt8, {2, 4, 4})},
                        {"y_test", Tensor::of<uint8_t>({2}, {0, 1})}});
        const OpenedData data = openData(path);
        QCOMPARE(data.training->size(), int64_t{3});
        QCOMPARE(data.evaluation->size(), int64_t{2});
        QCOMPARE(data.evaluation->columns()[1].classes.size(), size_t{3});
        QCOMPARE(data.normalization.at("x"), (Normalization{{0}, {255}}));
        const OpenedData raw = openData(path + "?normalize=none&limit=1");
        QCOMPARE(int(raw.training->columns()[0].dtype), int(DType::UInt8));
        QCOMPARE(raw.training->size(), int64_t{1});
    }

    void arraysThatDoNotFitTogetherAreRefused() {
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "a.npz");
        writeNpz(path, {{"x", Tensor(DType::Float32, {2, 3})}, {"y", Tensor(DType::Int64, {3})}});
        const QString error = errorOf([&] { openData(path); });
        QVERIFY2(error.contains(QStringLiteral("a.npz")), qPrintable(error));
        QVERIFY2(error.contains(QStringLiteral("'y' has 3 samples; 'x' has 2")), qPrintable(error));
        QVERIFY(errorOf([&] { openData(path + "?target=z"); }).contains(QStringLiteral("'z'")));
        writeNpz(path, {{"x", Tensor::scalar(1.0F)}});
        QVERIFY(errorOf([&] { openData(path); }).contains(QStringLiteral("single number")));
    }

    void halfPrecisionIsReadAsFloat32() {
        QTemporaryDir folder;
        Tensor half(DType::Float16, {8});
        const uint16_t bits[] = {0x3C00, 0xC000, 0x3555, 0x0001, 0x8000, 0x7BFF, 0x0400, 0x7C00};
        std::memcpy(half.mutableData(), bits, sizeof bits);
        writeNpz(pathIn(folder, "a.npz"), {{"x", half}});
        const OpenedData data = openData(pathIn(folder, "a.npz"));
        // NumPy: numpy.array(bits, numpy.uint16).view(numpy.float16).astype(numpy.float32)
        QCOMPARE(floatsOf(*data.training, 0),
                 (std::vector<float>{1, -2, 0.333251953125F, 5.9604644775390625e-08F, -0.0F, 65504,
                                     6.103515625e-05F, std::numeric_limits<float>::infinity()}));
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
