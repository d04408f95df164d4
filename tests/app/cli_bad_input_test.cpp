// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "engine/core/file.h"
#include "engine/core/tensor.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

/// A classifier with two features and three classes.
constexpr const char* kModel = R"(
    agraph (float[N, 2] x) => (float[N, 3] logits)
        <float[2, 3] w = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6}, float[3] b = {0.0, 0.1, 0.2}> {
        logits = Gemm(x, w, b)
    })";

/// Requests an array of 2^80 elements.
constexpr const char* kHugeModel = R"(
    agraph (float[1] x) => (y)
        <int64[2] shape = {1099511627776, 1099511627776}> {
        big = ConstantOfShape(shape)
        sum = ReduceMax<keepdims = 0>(big)
        y = Add(x, sum)
    })";

std::string randomBytes(size_t count) {
    std::mt19937 random(3);
    std::string bytes(count, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
}

/// Every command must reject every bad file by name, with status 1 or 2, and write nothing.
class CliBadInputTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void badFilesAreRefusedByName_data();
    void badFilesAreRefusedByName();
    void contradictionsAreInspectedOnly_data();
    void contradictionsAreInspectedOnly();
    void badFeedsAreRefusedByInput_data();
    void badFeedsAreRefusedByInput();
    void badDataIsRefused_data();
    void badDataIsRefused();
    void badStopRulesAreRefused_data();
    void badStopRulesAreRefused();
    void shapesThatDoNotFitIntoMemoryAreRefused();
    void outputsThatCannotBeWrittenLeaveNothing_data();
    void outputsThatCannotBeWrittenLeaveNothing();
    void aFullDiskLeavesNothing();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    void write(const QString& name, const std::string& content) {
        writeFileAtomically(path(name).toStdString(), content);
    }
    QTemporaryDir dir_;
};

void CliBadInputTest::initTestCase() {
    saveModel(*parseText(kModel), path("model.onnx").toStdString());
    saveModel(*parseText(kHugeModel), path("huge.onnx").toStdString());
    writeNpz(path("feeds.npz").toStdString(), {{"x", Tensor::of<float>({2, 2}, {1, 2, 3, 4})}});
    write("good.csv", "a,b,kind\n1,2,u\n3,4,v\n5,6,w\n7,8,u\n");
    const ProgramResult made =
        runTemper({"artifacts", path("model.onnx"), "--out", path("artifacts")});
    QVERIFY2(made.exitStatus == 0, made.all());
    const std::string model = readFile(path("model.onnx").toStdString());
    const std::string checkpoint = readFile(path("artifacts/checkpoint").toStdString());
    const std::string npz = readFile(path("feeds.npz").toStdString());
    write("empty", "");
    write("random", randomBytes(4000));
    write("text", "This is no such file.\n");
    write("model-cut", model.substr(0, model.size() / 2));
    const ProgramResult converted =
        runTemper({"export", path("model.onnx"), "--out", path("model.ort")});
    QVERIFY2(converted.exitStatus == 0, converted.all());
    std::string ort = readFile(path("model.ort").toStdString());
    write("ort-cut", ort.substr(0, ort.size() / 2));
    std::fill(ort.begin() + 8, ort.begin() + 200, '\x7f');
    write("ort-damaged", ort);
    write("checkpoint-cut", checkpoint.substr(0, checkpoint.size() / 2));
    write("npz-cut", npz.substr(0, npz.size() / 2));
    QDir(dir_.path()).mkdir("folder");
}

void CliBadInputTest::badFilesAreRefusedByName_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("file");
    const QStringList everywhere{"empty", "random", "text", "folder", "absent"};
    const auto rows = [](const char* command, const QStringList& files, auto makeArguments) {
        for (const QString& file : files) {
            QTest::addRow("%s: %s", command, qPrintable(file)) << makeArguments(file) << file;
        }
    };
    const QStringList models =
        everywhere + QStringList{"model-cut", "ort-cut", "ort-damaged", "artifacts/checkpoint"};
    rows("inspect",
         everywhere + QStringList{"model-cut", "checkpoint-cut", "ort-cut", "ort-damaged"},
         [&](const QString& file) {
             return QStringList{"inspect", path(file), "--json"};
         });
    rows("artifacts", models, [&](const QString& file) {
        return QStringList{"artifacts", path(file), "--out", path("made")};
    });
    rows("run", models, [&](const QString& file) {
        return QStringList{"run", path(file), "--feeds", path("feeds.npz"), "--out", path("made")};
    });
    rows("run --feeds", QStringList{"empty", "random", "text", "npz-cut", "absent"},
         [&](const QString& file) {
             return QStringList{"run",   path("model.onnx"), "--feeds", path(file),
                                "--out", path("made")};
         });
    const QStringList checkpoints = everywhere + QStringList{"checkpoint-cut", "model.onnx"};
    rows("checkpoint show", checkpoints, [&](const QString& file) {
        return QStringList{"checkpoint", "show", path(file)};
    });
    rows("checkpoint extract", checkpoints, [&](const QString& file) {
        return QStringList{"checkpoint", "extract", path(file), "--out", path("made")};
    });
    rows("export --checkpoint", checkpoints, [&](const QString& file) {
        return QStringList{"export",   path("artifacts"), "--checkpoint",
                           path(file), "--out",           path("made")};
    });
    rows("step --train-model", models, [&](const QString& file) {
        return QStringList{"step",    path("artifacts"), "--train-model", path(file),
                           "--feeds", path("feeds.npz"), "--params",      path("made")};
    });
    rows("report", everywhere, [&](const QString& file) {
        return QStringList{"report", path(file), "--out", path("made")};
    });
    rows("train --data", QStringList{"empty", "random", "absent"}, [&](const QString& file) {
        return QStringList{"train",  path("artifacts"), "--data", "csv:" + path(file) + "?target=k",
                           "--save", path("made")};
    });
    rows("train --data idx", QStringList{"empty", "random", "text"}, [&](const QString& file) {
        return QStringList{"train",  path("artifacts"), "--data", "idx:" + path(file),
                           "--save", path("made")};
    });
    rows("evaluate --data npz", QStringList{"empty", "random", "npz-cut"},
         [&](const QString& file) {
             return QStringList{"evaluate", path("artifacts"), "--data", "npz:" + path(file)};
         });
}

void CliBadInputTest::badFilesAreRefusedByName() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, file);
    const ProgramResult result = runTemper(arguments);
    QVERIFY2(result.exitStatus == 2, result.all());
    QVERIFY2(isFriendlyError(result), result.all());
    QVERIFY2(result.err.contains(file.toUtf8()), result.all());
    QVERIFY2(result.out.isEmpty(), result.all());
    QVERIFY(!QFileInfo::exists(path("made")));
}

void CliBadInputTest::contradictionsAreInspectedOnly_data() {
    QTest::addColumn<QByteArray>("before");  ///< in the file: tag, length and name
    QTest::addColumn<QByteArray>("after");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* before, const char* after, const char* code,
                        const char* message) {
        QTest::newRow(name) << QByteArray(before) << QByteArray(after) << code << message;
    };
    row("an undefined value", "\x0a\x01w", "\x0a\x01z", "M001", "'z'");
    row("a value defined twice", "\x12\x01u", "\x12\x01y", "M002", "'y' is defined");
    row("a cycle", "\x0a\x01w", "\x0a\x01y", "M003", "cycle");
}

void CliBadInputTest::contradictionsAreInspectedOnly() {
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    QFETCH(QString, code);
    QFETCH(QString, message);
    const QString file = path("contradiction.onnx");
    saveModel(*parseText(R"(agraph (float[N, 2] x) => (float[N, 3] y)
        <float[2, 3] w = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6}> { y = MatMul(x, w) u = Neg(x) })"),
              file.toStdString());
    QByteArray bytes = QByteArray::fromStdString(readFile(file.toStdString()));
    QCOMPARE(bytes.count(before), 1);
    write("contradiction.onnx", bytes.replace(before, after).toStdString());
    const ProgramResult inspected = runTemper({"inspect", file, "--json"});
    QVERIFY2(inspected.exitStatus == 0, inspected.all());
    const QJsonObject finding = inspected.json()["findings"][0].toObject();
    QCOMPARE(finding["code"].toString(), code);
    QCOMPARE(finding["severity"].toString(), QString("error"));
    QVERIFY2(finding["message"].toString().contains(message), inspected.all());
    for (const QJsonValue& parameter : inspected.json()["parameters"].toArray())
        QVERIFY2(!parameter["trainable"].toBool(), inspected.all());
    QVERIFY(runTemper({"inspect", file}).out.contains("error " + code.toUtf8()));
    const QList<QStringList> others = {
        {"artifacts", file, "--out", path("made")},
        {"run", file, "--feeds", path("feeds.npz"), "--out", path("made")},
        {"bench", file, "--feeds", path("feeds.npz"), "--steps", "1"},
        {"gradcheck", file, "--feeds", path("feeds.npz")},
        {"export", file, "--out", path("made.onnx")}};
    for (const QStringList& command : others) {
        const ProgramResult result = runTemper(command);
        QVERIFY2(result.exitStatus == 2 && isFriendlyError(result), result.all());
        QVERIFY2(result.err.contains(message.toUtf8()), result.all());
        QVERIFY2(result.err.contains("contradiction.onnx"), result.all());
    }
    QVERIFY(!QFileInfo::exists(path("made")) && !QFileInfo::exists(path("made.onnx")));
}

void CliBadInputTest::badFeedsAreRefusedByInput_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<Tensor>("array");
    QTest::addColumn<QString>("message");
    QTest::newRow("another name") << "y" << Tensor(DType::Float32, {2, 2}) << "x float32[N, 2]";
    QTest::newRow("too few dimensions") << "x" << Tensor(DType::Float32, {2}) << "float32[2]";
    QTest::newRow("too many dimensions")
        << "x" << Tensor(DType::Float32, {1, 1, 2, 2}) << "float32[1, 1, 2, 2]";
    QTest::newRow("another size") << "x" << Tensor(DType::Float32, {2, 3}) << "float32[2, 3]";
}

void CliBadInputTest::badFeedsAreRefusedByInput() {
    QFETCH(QString, name);
    QFETCH(Tensor, array);
    QFETCH(QString, message);
    writeNpz(path("bad.npz").toStdString(), {{name.toStdString(), array}});
    const ProgramResult result =
        runTemper({"run", path("model.onnx"), "--feeds", path("bad.npz"), "--out", path("made")});
    QVERIFY2(result.exitStatus == 2 && isFriendlyError(result), result.all());
    QVERIFY2(result.err.contains(message.toUtf8()), result.all());
    QVERIFY(!QFileInfo::exists(path("made")));
}

void CliBadInputTest::badDataIsRefused_data() {
    QTest::addColumn<QByteArray>("csv");
    QTest::addColumn<QString>("options");
    QTest::newRow("header only") << QByteArray("a,b,kind\n") << "target=kind";
    QTest::newRow("a row too short") << QByteArray("a,b,kind\n1,2,u\n3,v\n") << "target=kind";
    QTest::newRow("no such target") << QByteArray("a,b,kind\n1,2,u\n3,4,v\n") << "target=color";
    QTest::newRow("labels outside the classes of the model")
        << QByteArray("a,b,kind\n1,2,u\n3,4,v\n5,6,w\n7,8,x\n9,1,y\n") << "target=kind";
    QTest::newRow("an infinite number")
        << QByteArray("a,b,kind\n1,2,u\n3,inf,v\n5,6,w\n") << "target=kind";
    QTest::newRow("too few features") << QByteArray("a,kind\n1,u\n3,v\n5,w\n") << "target=kind";
    QTest::newRow("an unknown option")
        << QByteArray("a,b,kind\n1,2,u\n3,4,v\n") << "target=kind&colour=red";
}

void CliBadInputTest::badDataIsRefused() {
    QFETCH(QByteArray, csv);
    QFETCH(QString, options);
    write("bad.csv", csv.toStdString());
    const ProgramResult result =
        runTemper({"train", path("artifacts"), "--data", "csv:" + path("bad.csv") + "?" + options,
                   "--epochs", "1", "--save", path("made")});
    QVERIFY2(result.exitStatus == 2 && isFriendlyError(result), result.all());
    QVERIFY2(result.out.isEmpty(), result.all());
    QVERIFY(!QFileInfo::exists(path("made")));
}

void CliBadInputTest::badStopRulesAreRefused_data() {
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<QString>("message");
    QTest::newRow("negative time") << QStringList{"--time-limit", "-1"} << "--time-limit";
    QTest::newRow("time that is no number")
        << QStringList{"--time-limit", "nan"} << "--time-limit: 'nan'";
    QTest::newRow("a rate that is no number") << QStringList{"--lr", "nan"} << "--lr: 'nan'";
    QTest::newRow("a rate without end") << QStringList{"--lr", "inf"} << "--lr: 'inf'";
    QTest::newRow("negative improvement") << QStringList{"--min-delta", "-0.5"} << "--min-delta";
    QTest::newRow("negative patience") << QStringList{"--early-stop", "-1"} << "--early-stop";
    QTest::newRow("no best checkpoint") << QStringList{"--keep-best", "0"} << "--keep-best";
    QTest::newRow("a metric that does not fit the loss")
        << QStringList{"--best-metric", "rmse"} << "'rmse'";
}

void CliBadInputTest::badStopRulesAreRefused() {
    QFETCH(QStringList, flags);
    QFETCH(QString, message);
    const QString data = "csv:" + path("good.csv") + "?target=kind";
    const ProgramResult result =
        runTemper(QStringList{"train", path("artifacts"), "--data", data, "--eval-data", data,
                              "--epochs", "1", "--save", path("made")} +
                  flags);
    QVERIFY2(result.exitStatus != 0, result.all());
    QVERIFY2(result.err.contains(message.toUtf8()), result.all());
    QVERIFY(!QFileInfo::exists(path("made")));
}

void CliBadInputTest::shapesThatDoNotFitIntoMemoryAreRefused() {
    writeNpz(path("one.npz").toStdString(), {{"x", Tensor::of<float>({1}, {1})}});
    const ProgramResult result =
        runTemper({"run", path("huge.onnx"), "--feeds", path("one.npz"), "--out", path("made")});
    QVERIFY2(result.exitStatus == 1 || result.exitStatus == 2, result.all());
    QVERIFY2(isFriendlyError(result), result.all());
    QVERIFY(!QFileInfo::exists(path("made")));
}

void CliBadInputTest::outputsThatCannotBeWrittenLeaveNothing_data() {
    QTest::addColumn<QStringList>("arguments");
    const QString below = path("good.csv") + "/below";
    QTest::newRow("artifacts") << QStringList{"artifacts", path("model.onnx"), "--out", below};
    QTest::newRow("run") << QStringList{
        "run", path("model.onnx"), "--feeds", path("feeds.npz"), "--out", below};
    QTest::newRow("export") << QStringList{"export", path("artifacts"), "--out", below};
    QTest::newRow("checkpoint extract")
        << QStringList{"checkpoint", "extract", path("artifacts/checkpoint"), "--out", below};
    const QString data = "csv:" + path("good.csv") + "?target=kind";
    QTest::newRow("train --save") << QStringList{
        "train", path("artifacts"), "--data", data, "--epochs", "1", "--save", below};
    QTest::newRow("train --log") << QStringList{
        "train", path("artifacts"), "--data", data, "--epochs", "1", "--log", below};
    QTest::newRow("train --profile") << QStringList{
        "train", path("artifacts"), "--data", data, "--epochs", "1", "--profile", below};
}

void CliBadInputTest::outputsThatCannotBeWrittenLeaveNothing() {
    QFETCH(QStringList, arguments);
    const std::string before = readFile(path("good.csv").toStdString());
    const ProgramResult result = runTemper(arguments);
    QVERIFY2(result.exitStatus == 1, result.all());
    QVERIFY2(isFriendlyError(result), result.all());
    QVERIFY(readFile(path("good.csv").toStdString()) == before);
}

/// A file size limit makes writes fail as a full disk does.
void CliBadInputTest::aFullDiskLeavesNothing() {
    QDir(dir_.path()).mkdir("full");
    writeNpz(path("large.npz").toStdString(), {{"x", Tensor(DType::Float32, {100'000, 2})}});
    const ProgramResult result =
        runShell("trap '' XFSZ; ulimit -f 100; exec $TEMPER run '" + path("model.onnx") +
                 "' --feeds '" + path("large.npz") + "' --out '" + path("full/out.npz") + "'");
    QVERIFY2(result.exitStatus == 1, result.all());
    QVERIFY2(isFriendlyError(result), result.all());
    QVERIFY(QDir(path("full")).isEmpty());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliBadInputTest)
#include "cli_bad_input_test.moc"
