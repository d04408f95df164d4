// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/data/npz_file.h"
#include "tests/engine/data/open_data_support.h"

using namespace temper;
using namespace temper::test;

/// Which labels are classes, and how they are numbered.
class TargetClassesTest : public QObject {
    Q_OBJECT

private slots:
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
};

QTEST_APPLESS_MAIN(TargetClassesTest)
#include "target_classes_test.moc"
