// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/file.h"
#include "engine/core/tensor.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

namespace fs = std::filesystem;

/// Malicious names and files: they don't reach the terminal, and no command waits for them.
class CliHostileTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const std::unique_ptr<Graph> model = parseText(R"(
            agraph (float[N, 2] x) => (float[N, 2] logits)
                <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}> { logits = MatMul(x, w) })");
        const auto rename = [&](const char* name, const std::string& to) {
            model->renameValue(model->at(name), to);
        };
        rename("x", std::string("x") + kEvil);
        rename("w", std::string("w") + kEvil);
        rename("logits", std::string("y") + kEvil);
        saveModel(*model, path("evil.onnx").toStdString());
        saveModel(*parseText(R"(
            agraph (float[N, 2] x) => (float[N, 2] logits)
                <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}> { logits = MatMul(x, w) })"),
                  path("m.onnx").toStdString());
        const auto round = parseText(R"(
            agraph (float[N, 2] x) => (float[N, 2] y)
                <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}> { h = MatMul(x, w) y = Round(h) })");
        round->renameValue(round->at("w"), std::string("w") + kEvil);
        saveModel(*round, path("round.onnx").toStdString());
        const ProgramResult made = runTemper({"artifacts", path("m.onnx"), "--out", path("made")});
        QVERIFY2(made.exitStatus == 0, made.all().constData());
        // Classes with an escape and a line break, and one in Latin-1.
        write("classes.csv", std::string("a,b,kind\n1,2,\"u\x1b[31m\nerror: v\"\n3,4,caf\xe9\n") +
                                 "5,6,caf\xe9\n7,8,\"u\x1b[31m\nerror: v\"\n");
        ::mkfifo(path("pipe").toStdString().c_str(), 0666);
    }

    void namesReachNoTerminal_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("inspect") << QStringList{"inspect", path("evil.onnx")};
        QTest::newRow("inspect --json") << QStringList{"inspect", path("evil.onnx"), "--json"};
        QTest::newRow("artifacts")
            << QStringList{"artifacts", path("evil.onnx"), "--out", path("evil")};
        QTest::newRow("artifacts, unknown parameter") << QStringList{
            "artifacts", path("evil.onnx"), "--out", path("evil"), "--train", QString("v") + kEvil};
        QTest::newRow("artifacts, the way on")
            << QStringList{"artifacts", path("round.onnx"), "--loss", "mse", "--out", path("evil")};
        QTest::newRow("convert") << QStringList{"export", path("evil.onnx"), "--out",
                                                path("evil.ort")};
        QTest::newRow("checkpoint show")
            << QStringList{"checkpoint", "show", path("evil/checkpoint")};
        QTest::newRow("a file that is not there") << QStringList{"inspect", QString("m") + kEvil};
        QTest::newRow("a command that is not there") << QStringList{QString("m") + kEvil};
        QTest::newRow("train") << QStringList{
            "train",  path("made"), "--data",   "csv:" + path("classes.csv"),
            "--save", path("s"),    "--steps",  "2",
            "--log",  path("l"),    "--report", path("r.html")};
        QTest::newRow("evaluate") << QStringList{"evaluate", path("made"), "--data",
                                                 "csv:" + path("classes.csv")};
    }
    void namesReachNoTerminal() {
        QFETCH(QStringList, arguments);
        const ProgramResult result = runTemper(arguments);
        QVERIFY2(result.exitStatus >= 0, result.all().constData());
        for (const QByteArray& text : {result.out, result.err}) {
            for (const char byte : text) {
                const auto code = static_cast<unsigned char>(byte);
                QVERIFY2(code >= 32 || code == '\n' || code == '\t', text.constData());
                QVERIFY2(code != 0x7f, text.constData());
            }
            QVERIFY2(QString::fromUtf8(text).toUtf8() == text, text.constData());
            // No name starts a line.
            QVERIFY2(!text.contains("\nerror: evil") && !text.contains("\nerror: v"),
                     text.constData());
        }
        QVERIFY2((result.out + result.err).contains("\\u001b[31m"), result.all().constData());
    }

    void aReportIsUtf8() {
        const QByteArray page = readAll("r.html");  // from the row "train"
        QVERIFY(page.startsWith("<!DOCTYPE html>"));
        QVERIFY(QString::fromUtf8(page).toUtf8() == page);
        QVERIFY(!page.contains('\x1b'));
    }

    void aPipeIsRefusedAtOnce_data() {
        QTest::addColumn<QStringList>("arguments");
        const QString pipe = path("pipe");
        QTest::newRow("inspect") << QStringList{"inspect", pipe};
        QTest::newRow("artifacts") << QStringList{"artifacts", pipe, "--out", path("n")};
        QTest::newRow("run") << QStringList{"run", pipe, "--feeds", pipe, "--out", path("n")};
        QTest::newRow("feeds") << QStringList{"run", path("m.onnx"), "--feeds",
                                              pipe,  "--out",        path("n")};
        QTest::newRow("checkpoint") << QStringList{"checkpoint", "show", pipe};
        QTest::newRow("report") << QStringList{"report", pipe, "--out", path("n")};
        QTest::newRow("data") << QStringList{"train",       path("made"), "--data",
                                             "csv:" + pipe, "--steps",    "1"};
        QTest::newRow("log") << QStringList{
            "train",   path("made"), "--data", "csv:" + path("classes.csv"),
            "--steps", "1",          "--log",  pipe};
        QTest::newRow("output") << QStringList{"export", path("m.onnx"), "--out", pipe};
        QTest::newRow("picture") << QStringList{
            "train", path("made"), "--data", "images:" + path("piped"), "--steps", "1"};
    }
    void aPipeIsRefusedAtOnce() {
        QFETCH(QStringList, arguments);
        QDir().mkpath(path("piped/a"));
        ::mkfifo(path("piped/a/1.png").toStdString().c_str(), 0666);
        QProcess process;
        process.start(QStringLiteral(TEMPER_PROGRAM), arguments);
        // Opening a pipe without a peer blocks forever.
        const bool hasEnded = process.waitForFinished(60'000);
        process.kill();
        process.waitForFinished();
        QVERIFY(hasEnded && process.exitStatus() == QProcess::NormalExit);
        const QByteArray err = process.readAllStandardError();
        QVERIFY2(process.exitCode() > 0 && err.contains("error: ") && err.contains("p"),
                 err.constData());
        QVERIFY(!fs::is_regular_file(path("pipe").toStdString()));
    }

    void whatWouldTakeForeverIsRefusedByNode_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("message");
        QTest::newRow("Range of floats")
            << "a (float[1] x) => (y) <float limit = {1e18}, float delta = {1e-3}, float z = {0}> {"
               " r = Range(z, limit, delta) s = ReduceMax<keepdims = 0>(r) y = Add(x, s) }"
            << "has 1e+21 elements";
        QTest::newRow("Range of integers")
            << "a (float[1] x) => (y) <int64 limit = {4000000000000000000}, int64 delta = {1}, "
               "int64 z = {0}> { r = Range(z, limit, delta) f = Cast<to = 1>(r) "
               "s = ReduceMax<keepdims = 0>(f) y = Add(x, s) }"
            << "has 4e+18 elements";
        QTest::newRow("Range whose ends are too far apart")
            << "a (float[1] x) => (y) <int64 limit = {9000000000000000000}, int64 delta = "
               "{9000000000000000000}, int64 z = {-9000000000000000000}> { r = Range(z, limit, "
               "delta) f = Cast<to = 1>(r) s = ReduceMax<keepdims = 0>(f) y = Add(x, s) }"
            << "further apart than 64 bits";
        const QString loop =
            "a (float[2] x) => (y) <int64 trips = {4611686018427387904}, bool yes = {1}> {"
            " y = Loop <body = b (int64 i, bool c, float[2] s) => (bool go, float[2] next) {"
            " go = %1 next = Add(s, s) }> (trips, yes, x) }";
        QTest::newRow("Loop that nothing ends")
            << loop.arg("Identity(c)") << "Loop would run 4611686018427387904 times";
        QTest::newRow("Loop whose condition holds")
            << loop.arg("Equal(i, i)") << "Loop has run 10000000 times and continues";
    }
    void whatWouldTakeForeverIsRefusedByNode() {
        QFETCH(QString, model);
        QFETCH(QString, message);
        saveModel(*parseText(model.toStdString()), path("forever.onnx").toStdString());
        const bool isLoop = model.contains("Loop");
        writeNpz(path("x.npz").toStdString(),
                 {{"x", isLoop ? Tensor::of<float>({2}, {1, 2}) : Tensor::of<float>({1}, {1})}});
        const ProgramResult result =
            runShell(QString("(ulimit -v 4000000; $TEMPER run %1 --feeds %2 --out %3)")
                         .arg(path("forever.onnx"), path("x.npz"), path("n.npz")));
        QVERIFY2(isFriendlyError(result), result.all().constData());
        QVERIFY2(
            result.err.contains(isLoop ? "Loop" : "Range") && result.err.contains(message.toUtf8()),
            result.all().constData());
        QVERIFY2(isLoop || result.err.contains("  hint: Check the inputs start, limit and delta"),
                 result.all().constData());
        const ProgramResult inspected = runTemper({"inspect", path("forever.onnx")});
        QVERIFY2(inspected.exitStatus >= 0, inspected.all().constData());
        QVERIFY2(!inspected.all().contains("Internal error"), inspected.all().constData());
    }

private:
    static constexpr const char* kEvil = "\x1b[31m\nerror: evil";

    QString path(const QString& name) const { return dir_.filePath(name); }
    void write(const QString& name, const std::string& content) const {
        writeFileAtomically(path(name).toStdString(), content);
    }
    QByteArray readAll(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
    }

    QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliHostileTest)
#include "cli_hostile_test.moc"
