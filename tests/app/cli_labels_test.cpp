// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

/// User input that deviates slightly from what is expected: labels, array types, words.
class CliLabelsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void wholeNumbersBecomeClasses_data();
    void wholeNumbersBecomeClasses();
    void labelsOutsideTheModelAreNamedAsInTheirFile_data();
    void labelsOutsideTheModelAreNamedAsInTheirFile();
    void targetsThatTheLossDoesNotTakeAreNamedAsInTheirFile_data();
    void targetsThatTheLossDoesNotTakeAreNamedAsInTheirFile();
    void strayLabelsOfATableAreLeftOutOnRequest();
    void labelsAlongTheLastAxisAreRefusedWithARemedy_data();
    void labelsAlongTheLastAxisAreRefusedWithARemedy();
    void classesAlongTheLastAxisAreTrainedAndExported();
    void doublesAreFedAsTheyAreTrained();
    void floatsAreNotLabels();
    void stepsThatAreNoneAreRefused_data();
    void stepsThatAreNoneAreRefused();
    void arraysWithoutInputAreIgnoredByRunOnly();
    void aLossThatIsNoNumberFailsTheStep_data();
    void aLossThatIsNoNumberFailsTheStep();
    void gradientsOfChoicesAreChecked_data();
    void gradientsOfChoicesAreChecked();
    void operatorsThatFoldAwayAreNotFindings();
    void misspeltWordsGetASuggestion_data();
    void misspeltWordsGetASuggestion();
    void aRunThatIsDoneSaysSo();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    void saveText(const QString& name, const QString& text) const {
        saveModel(*parseText("<ir_version: 8, opset_import: [\"\" : 17]>\n" + text.toStdString()),
                  path(name).toStdString());
    }
    void write(const QString& name, const std::map<std::string, Tensor>& arrays) const {
        writeNpz(path(name).toStdString(), arrays);
    }
    void writeTable(const QString& name, const QList<int>& labels) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("a,b,y\n");
        for (int i = 0; i < labels.size(); ++i)
            file.write(QString("%1,%2,%3\n").arg(i % 5).arg(i % 3).arg(labels[i]).toUtf8());
    }
    void writeBytes(const QString& name, const QByteArray& bytes) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    void makeArtifacts(const QString& model, const QString& loss, const QString& folder) const {
        const ProgramResult made =
            runTemper({"artifacts", path(model), "--loss", loss, "--out", path(folder)});
        QVERIFY2(made.exitStatus == 0, made.all());
    }
    QTemporaryDir dir_;
};

/// Class indices of 3 classes, and one label that is none.
const QList<int> kWithStray = {1, 2, 0, 1, 2, 0, 1, 2, 0, 9};

Tensor floatsFrom(Shape shape, const std::vector<float>& values) {
    return Tensor::of<float>(std::move(shape), std::span<const float>(values));
}

void CliLabelsTest::initTestCase() {
    saveText("classes.onnx", R"(
        m (float[N, 2] x) => (float[N, 3] y)
            <float[2, 3] w = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6}> { y = MatMul(x, w) })");
    saveText("steps.onnx", R"(
        m (float[N, T, 2] x) => (float[N, T, 3] y)
            <float[2, 3] w = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6}> { y = MatMul(x, w) })");
    saveText("power.onnx", R"(
        m (float[N, 2] x) => (float[N, 2] y)
            <float[2] w = {0.5, -0.5}, float[1] exponent = {2.0}> {
            h = Mul(x, w)
            y = Pow(h, exponent)
        })");
    saveText("round.onnx", R"(
        m (float[N, 2] x) => (float[N, 3] y)
            <float[2, 3] w = {0.4, 1.2, -0.3, 0.4, -0.7, 1.6}, float[3] v = {0.5, 1.5, -0.5}> {
            h = MatMul(x, w)
            ["/round"] r = Round(h)
            y = Mul(r, v)
        })");
    saveText("branch.onnx", R"(
        m (float[N, 2] x, bool c) => (float[N, 3] y)
            <float[2, 3] w = {0.4, 1.2, -0.3, 0.4, -0.7, 1.6}, float ratio = {0.0}, bool on = {1}> {
            h = MatMul(x, w)
            y = If (c) <
                then_branch = a () => (float[N, 3] t) { d = Dropout(h, ratio, on) t = Tanh(d) },
                else_branch = b () => (float[N, 3] e) { e = Neg(h) }>
        })");
    saveText("sequence.onnx", R"(
        m (float[N, 2] x) => (float[N, 3] y)
            <float[2, 3] w = {0.4, 1.2, -0.3, 0.4, -0.7, 1.6}, int64 last = {-1}> {
            h = MatMul(x, w)
            g = Tanh(h)
            s = SequenceConstruct(h, g)
            y = SequenceAt(s, last)
        })");
    const Tensor x = floatsFrom({3, 2}, {0.3F, 1.2F, -0.7F, 0.4F, 1.1F, -0.9F});
    write("x.npz", {{"x", x}, {"labels", Tensor::of<int64_t>({3}, {0, 2, 1})}});
    const Tensor target = floatsFrom({3, 3}, std::vector<float>(9, 0.5F));
    write("sequence.npz", {{"x", x}, {"target", target}});
    write("branch.npz", {{"x", x}, {"c", Tensor::scalar(true)}, {"target", target}});
}

void CliLabelsTest::wholeNumbersBecomeClasses_data() {
    QTest::addColumn<QList<int>>("labels");
    QTest::addColumn<QString>("described");
    QTest::addColumn<QString>("kept");
    QTest::newRow("from 1") << QList<int>{1, 2, 3} << "3 classes (1 as 0, 2 as 1, 3 as 2)"
                            << "[\"1\",\"2\",\"3\"]";
    QTest::newRow("with gaps") << QList<int>{0, 1, 7} << "3 classes (0 as 0, 1 as 1, 7 as 2)"
                               << "[\"0\",\"1\",\"7\"]";
}

void CliLabelsTest::wholeNumbersBecomeClasses() {
    QFETCH(QList<int>, labels);
    QFETCH(QString, described);
    QFETCH(QString, kept);
    makeArtifacts("classes.onnx", "cross-entropy", "classes");
    writeTable("labels.csv", labels + labels + labels);
    const ProgramResult trained =
        runTemper({"train", path("classes"), "--data", path("labels.csv") + "?target=y", "--epochs",
                   "1", "--save", path("run")});
    QVERIFY2(trained.exitStatus == 0, trained.all());
    QVERIFY2(trained.err.contains(described.toUtf8()), trained.all());
    const ProgramResult exported =
        runTemper({"export", path("classes"), "--checkpoint", path("run/last.ckpt"), "--out",
                   path("trained.onnx")});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    const auto model = loadModel(path("trained.onnx").toStdString());
    QCOMPARE(QString::fromStdString(model->info().metadata.at("classes")), kept);
}

void CliLabelsTest::labelsOutsideTheModelAreNamedAsInTheirFile_data() {
    QTest::addColumn<QString>("data");
    QTest::addColumn<QStringList>("texts");
    const QString train = "temper train DIR --data '";
    const auto row = [&](const char* name, const QString& data, const QString& message,
                         const QStringList& hints) {
        const QString file = "data '" + path(data).section('?', 0, 0) + "': ";
        QTest::newRow(name) << data << (QStringList{file + message} + hints);
    };
    row("numbers that could be classes", "many.csv?target=y",
        "Column 'y' holds the label 48 (class 3, counted from 0) in line 5",
        {"give the model as many outputs",
         "temper artifacts MODEL --loss cross-entropy --head-classes 9 --out DIR && " + train +
             "csv:" + path("many.csv?target=y&task=classification'"),
         "temper artifacts MODEL --loss mse --out DIR && " + train +
             "csv:" + path("many.csv?target=y&task=regression'")});
    row("texts", "texts.csv", "Column 'y' holds the label 'd' (class 3, counted from 0) in line 5",
        {"temper artifacts MODEL --loss cross-entropy --head-classes 4 --out DIR && " + train +
         "csv:" + path("texts.csv?task=classification'")});
    row("a stray label", "stray.csv?target=y",
        "Column 'y' holds the label 9 (class 3, counted from 0) in line 11",
        {"temper artifacts MODEL --loss cross-entropy --head-classes 4 --out DIR && " + train +
             "csv:" + path("stray.csv?target=y&task=classification'"),
         "To skip samples with such labels, add invalid=drop to the data."});
    row("a stray label below 0", "none.csv?target=y",
        "Column 'y' holds the label -1 (class 3, counted from 0) in line 2", {"add invalid=drop"});
    row("an index", "beyond.npz", "Column 'labels' holds the label 9 in sample 4 (counted from 0)",
        {"add invalid=drop"});
    row("an index of a part", "beyond.npz?split=0.5&seed=1",
        "Column 'labels' holds the label 9 in sample 4 (counted from 0)", {"add invalid=drop"});
    row("an infinite number", "infinite.npz",
        "Column 'x' holds a NaN or infinite value, in sample 1 (counted from 0), element 1.",
        {"invalid=drop"});
    row("numbers that are asked for", "many.csv?target=y&task=regression",
        "Column 'y' was read as numbers, but input 'labels', int64[N], takes classes.",
        {"To train on classes, read it with --data 'csv:" +
             path("many.csv?target=y&task=classification'"),
         "To predict its numbers: "});
    row("error written out", "infinite.npz?invalid=error",
        "Column 'x' holds a NaN or infinite value, in sample 1 (counted from 0), element 1.",
        {"invalid=drop"});
    QTest::newRow("a missing picture")
        << "images:" + path("pictures.csv")
        << QStringList{"line 2, column 'file' names '" + path("none.png") + "'", "invalid=drop"};
}

void CliLabelsTest::labelsOutsideTheModelAreNamedAsInTheirFile() {
    QFETCH(QString, data);
    QFETCH(QStringList, texts);
    makeArtifacts("classes.onnx", "cross-entropy", "many");
    writeTable("many.csv", {10, 25, 31, 48, 52, 67, 71, 88, 94});
    writeTable("stray.csv", kWithStray);
    writeTable("none.csv", {-1, 0, 1, 2, 0});
    writeBytes("texts.csv", "a,b,y\n1,2,a\n1,3,b\n2,2,c\n2,3,d\n");
    writeBytes("pictures.csv", "file,y\nnone.png,a\n");
    write("beyond.npz", {{"x", floatsFrom({6, 2}, std::vector<float>(12, 0.5F))},
                         {"labels", Tensor::of<int64_t>({6}, {0, 1, 2, 1, 9, 0})}});
    write("infinite.npz", {{"x", floatsFrom({2, 2}, {1, 2, 3, INFINITY})},
                           {"labels", Tensor::of<int64_t>({2}, {0, 1})}});
    const QString spec = data.contains(':') ? data : path(data);
    const ProgramResult result = runTemper({"train", path("many"), "--data", spec});
    QVERIFY2(result.exitStatus == 2 && isFriendlyError(result), result.all());
    for (const QString& text : texts) QVERIFY2(result.err.contains(text.toUtf8()), result.all());
}

void CliLabelsTest::targetsThatTheLossDoesNotTakeAreNamedAsInTheirFile_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QStringList>("command");  ///< without the folder of the artifacts
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* loss, const QStringList& command,
                        const QString& message) {
        QTest::newRow(name) << loss << command << message;
    };
    const QString table = path("grades.csv") + "?target=y";
    const QString binary = "Binary cross entropy with logits takes values between 0 and 1; ";
    row("training", "bce-with-logits", {"train", "--data", table},
        "data '" + path("grades.csv") + "': " + binary + "column 'y' has 3, 10, first in line 3.");
    row("a part", "bce-with-logits", {"train", "--data", table + "&split=0.5"},
        binary + "column 'y' has ");
    row("an evaluation of a run", "bce-with-logits",
        {"train", "--data", path("yes.csv") + "?target=y&task=regression", "--eval-data",
         table + "&task=regression"},
        "data '" + path("grades.csv") + "': " + binary + "column 'y' has 3, 10, first in line 3.");
    row("an evaluation", "hinge(y, t)", {"evaluate", "--data", table},
        "Hinge takes -1 and 1; column 'y' has 0, 3, 10, first in line 2.");
    row("a formula", "0.5*mse(y, t) + 0.5*bce_with_logits(2*y, t)", {"train", "--data", table},
        binary + "column 'y' has 3, 10, first in line 3.");
    row("given batches", "bce-with-logits", {"step", "--feeds", path("grades.npz")},
        binary + "array 'target' has 3, first in element [1, 0] (counted from 0).");
    row("one that fits", "bce-with-logits",
        {"train", "--epochs", "1", "--data", path("yes.csv") + "?target=y"}, "");
    row("a formula of the target", "bce_with_logits(y, t/10)",
        {"train", "--epochs", "1", "--data", table}, "");
    row("a loss that takes all", "mse", {"train", "--epochs", "1", "--data", table}, "");
}

void CliLabelsTest::targetsThatTheLossDoesNotTakeAreNamedAsInTheirFile() {
    QFETCH(QString, loss);
    QFETCH(QStringList, command);
    QFETCH(QString, message);
    saveText("grade.onnx", R"(
        m (float[N, 2] x) => (float[N, 1] y) <float[2, 1] w = {0.1, 0.2}> { y = MatMul(x, w) })");
    makeArtifacts("grade.onnx", loss, "grade");
    writeTable("grades.csv", {0, 3, 10, 0, 3, 10, 0, 3});
    writeTable("yes.csv", {0, 1, 0, 1});
    write("grades.npz",
          {{"x", floatsFrom({2, 2}, {1, 2, 3, 4})}, {"target", floatsFrom({2, 1}, {0.5F, 3})}});
    command.insert(1, path("grade"));
    const ProgramResult result = runTemper(command);
    QCOMPARE(result.exitStatus, message.isEmpty() ? 0 : 2);
    if (message.isEmpty()) return;
    QVERIFY2(isFriendlyError(result), result.all());
    QVERIFY2(result.err.contains(message.toUtf8()), result.all());
    QVERIFY2(!result.all().contains("step 1"), result.all());
}

void CliLabelsTest::strayLabelsOfATableAreLeftOutOnRequest() {
    makeArtifacts("classes.onnx", "cross-entropy", "stray");
    writeTable("stray.csv", kWithStray);
    const ProgramResult trained =
        runTemper({"train", path("stray"), "--data", path("stray.csv") + "?target=y&invalid=drop",
                   "--epochs", "1", "--save", path("left")});
    QVERIFY2(trained.exitStatus == 0, trained.all());
    QVERIFY2(
        trained.err.contains("9 training samples") && trained.err.contains("3 classes (0, 1, 2)"),
        trained.all());
    const ProgramResult exported = runTemper({"export", path("stray"), "--checkpoint",
                                              path("left/last.ckpt"), "--out", path("left.onnx")});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    QVERIFY(!loadModel(path("left.onnx").toStdString())->info().metadata.contains("classes"));
}

void CliLabelsTest::labelsAlongTheLastAxisAreRefusedWithARemedy_data() {
    QTest::addColumn<int64_t>("length");  ///< labels of a sample, of 4 steps
    QTest::addColumn<QString>("hint");
    QTest::newRow("one for each step") << int64_t{4} << "generate the artifacts with --axis -1";
    QTest::newRow("shorter ones")
        << int64_t{2}
        << "need the CTC loss:\n    temper artifacts MODEL --loss ctc --out DIR\n    If each label "
           "belongs to a step, fill the other steps with a class for no label, or with -100:\n"
           "    temper artifacts MODEL --axis -1 --ignore-index -100 --out DIR\n";
}

void CliLabelsTest::labelsAlongTheLastAxisAreRefusedWithARemedy() {
    QFETCH(int64_t, length);
    QFETCH(QString, hint);
    makeArtifacts("steps.onnx", "cross-entropy", "steps");
    write("steps.npz", {{"x", floatsFrom({2, 4, 2}, std::vector<float>(16, 0.5F))},
                        {"labels", Tensor(DType::Int64, {2, length})}});
    const QString labels = QString("but 'labels' is [2, %1]").arg(length);
    const QList<QStringList> commands = {
        {"step", path("steps"), "--feeds", path("steps.npz")},
        {"bench", path("steps"), "--feeds", path("steps.npz"), "--steps", "1"},
        {"gradcheck", path("steps.onnx"), "--feeds", path("steps.npz")},
        {"train", path("steps"), "--data", path("steps.npz"), "--batch-size", "2"},
        {"evaluate", path("steps"), "--data", path("steps.npz")}};
    for (const QStringList& command : commands) {
        const ProgramResult result = runTemper(command);
        QVERIFY2(result.exitStatus == 2 && isFriendlyError(result), result.all());
        QVERIFY2(result.err.contains("axis 1 of 'y', which is [2, 4, 3], " + labels.toUtf8()),
                 result.all());
        QVERIFY2(result.err.contains(hint.toUtf8()), result.all());
    }
}

void CliLabelsTest::classesAlongTheLastAxisAreTrainedAndExported() {
    write("steps.npz", {{"x", floatsFrom({2, 4, 2}, std::vector<float>(16, 0.5F))},
                        {"labels", Tensor::of<int64_t>({2, 4}, {0, 1, 2, 0, 1, 2, 0, 1})}});
    const ProgramResult made =
        runTemper({"artifacts", path("steps.onnx"), "--axis", "-1", "--out", path("last")});
    QVERIFY2(made.exitStatus == 0, made.all());
    const ProgramResult trained = runTemper(
        {"train", path("last"), "--data", path("steps.npz"), "--epochs", "1", "--save", path("l")});
    QVERIFY2(trained.exitStatus == 0, trained.all());
    const ProgramResult exported = runTemper(
        {"export", path("last"), "--checkpoint", path("l/last.ckpt"), "--out", path("l.onnx")});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    QCOMPARE(namesOf(loadModel(path("l.onnx").toStdString())->outputs()),
             std::vector<std::string>{"y"});
}

void CliLabelsTest::doublesAreFedAsTheyAreTrained() {
    const double third = 1.0 / 3;
    write("double.npz", {{"x", Tensor::of<double>({2, 2}, {third, 0.1, -third, 1.7})},
                         {"labels", Tensor::of<int32_t>({2}, {0, 2})}});
    makeArtifacts("classes.onnx", "cross-entropy", "double");
    const QList<QStringList> commands = {
        {"train", path("double"), "--data", path("double.npz"), "--epochs", "1"},
        {"step", path("double"), "--feeds", path("double.npz")},
        {"bench", path("double"), "--feeds", path("double.npz"), "--steps", "1"},
        {"gradcheck", path("classes.onnx"), "--feeds", path("double.npz")},
        {"run", path("classes.onnx"), "--feeds", path("double.npz"), "--out", path("y.npz")}};
    for (const QStringList& command : commands) {
        const ProgramResult result = runTemper(command);
        QVERIFY2(result.exitStatus == 0, result.all());
    }
    const Tensor y = readNpz(path("y.npz").toStdString()).at("y");
    QVERIFY(std::abs(y.values<float>()[0] - (third * 0.1 + 0.1 * 0.4)) < 1e-6);
}

void CliLabelsTest::floatsAreNotLabels() {
    write("floats.npz", {{"x", floatsFrom({1, 2}, {1, 2})}, {"labels", floatsFrom({1}, {1})}});
    const ProgramResult result =
        runTemper({"gradcheck", path("classes.onnx"), "--feeds", path("floats.npz")});
    QVERIFY2(result.exitStatus == 2 && isFriendlyError(result), result.all());
    QVERIFY2(result.err.contains("is float32[1]; the input is int64[N]"), result.all());
}

void CliLabelsTest::stepsThatAreNoneAreRefused_data() {
    QTest::addColumn<QList<int>>("x");
    QTest::addColumn<QList<int>>("target");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("hint");
    const QString remove = "Remove the additional dimension.";
    const QString targets = "is float32[4, 1], which for the input float32[N] is 4 steps of [1]; ";
    QTest::newRow("a column of targets")
        << QList<int>{4, 2} << QList<int>{4, 1}
        << "Array 'target' of 'FILE' " + targets + "expected [4], as array 'x' is float32[4, 2]."
        << remove;
    QTest::newRow("samples with a dimension too many")
        << QList<int>{4, 1, 2} << QList<int>{4}
        << "Array 'x' of 'FILE' is float32[4, 1, 2], which for the input float32[N, 2] is 4 steps "
           "of [1, 2]; expected [4, 2], as array 'target' is float32[4]."
        << remove;
    QTest::newRow("steps of different batches")
        << QList<int>{3, 4, 2} << QList<int>{4, 1}
        << "Array 'target' of 'FILE' " + targets + "expected [4], as array 'x' is float32[3, 4, 2]."
        << "Give both arrays the same number of samples in each step.";
    QTest::newRow("one batch") << QList<int>{4, 2} << QList<int>{4} << ""
                               << "";
    QTest::newRow("targets of each step") << QList<int>{4, 2} << QList<int>{3, 4} << ""
                                          << "";
    QTest::newRow("samples of each step") << QList<int>{3, 4, 2} << QList<int>{4} << ""
                                          << "";
    QTest::newRow("steps of one sample") << QList<int>{4, 1, 2} << QList<int>{4, 1} << ""
                                         << "";
}

/// The loss would otherwise compare each prediction with the one target of the step.
void CliLabelsTest::stepsThatAreNoneAreRefused() {
    QFETCH(QList<int>, x);
    QFETCH(QList<int>, target);
    QFETCH(QString, message);
    QFETCH(QString, hint);
    saveText("flat.onnx", R"(
        m (float[N, 2] x) => (float[N] y) <float[2] w = {0.1, 0.2}> { y = MatMul(x, w) })");
    makeArtifacts("flat.onnx", "mse", "flat");
    const auto zeros = [](const QList<int>& shape) {
        return Tensor(DType::Float32, Shape(shape.begin(), shape.end()));
    };
    write("flat.npz", {{"x", zeros(x)}, {"target", zeros(target)}});
    const ProgramResult result = runTemper({"step", path("flat"), "--feeds", path("flat.npz")});
    QCOMPARE(result.exitStatus, message.isEmpty() ? 0 : 2);
    if (message.isEmpty()) return;
    message.replace("FILE", path("flat.npz"));
    QVERIFY2(isFriendlyError(result) && result.err.contains(message.toUtf8()), result.all());
    QVERIFY2(result.err.contains(hint.toUtf8()), result.all());
    QVERIFY2(!result.all().contains("step 1"), result.all());
}

void CliLabelsTest::arraysWithoutInputAreIgnoredByRunOnly() {
    const ProgramResult ran =
        runTemper({"run", path("classes.onnx"), "--feeds", path("x.npz"), "--out", path("y.npz")});
    QVERIFY2(ran.exitStatus == 0, ran.all());
    QVERIFY2(ran.err.contains("note: No input is called 'labels'"), ran.all());
    const ProgramResult missing =
        runTemper({"run", path("branch.onnx"), "--feeds", path("x.npz"), "--out", path("y.npz")});
    QVERIFY2(missing.exitStatus == 2 && missing.err.contains("input 'c'"), missing.all());
}

void CliLabelsTest::aLossThatIsNoNumberFailsTheStep_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("loss");
    QTest::addColumn<float>("number");  ///< in the first input
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("hint");
    QTest::newRow("in the data") << "classes.onnx"
                                 << "cross-entropy" << NAN << QStringList()
                                 << "The loss is NaN in step 1; the first such value comes from "
                                    "input 'x'."
                                 << "invalid=drop";
    QTest::newRow("in a trained exponent")
        << "power.onnx"
        << "mse" << 1.0F << QStringList{"--steps", "3"} << "comes from the Pow node of 'y'."
        << "--freeze exponent";
    QTest::newRow("in a parameter")
        << "classes.onnx"
        << "cross-entropy" << 3e38F << QStringList{"--lr", "3e38", "--steps", "3"}
        << "comes from parameter 'w'."
        << "with a lower learning rate";
    QTest::newRow("in the closing evaluation")
        << "classes.onnx"
        << "cross-entropy" << 3e38F << QStringList{"--lr", "3e38"}
        << "The loss of the evaluation is NaN after step 1; the first such value comes from "
           "parameter 'w'."
        << "with a lower learning rate";
}

void CliLabelsTest::aLossThatIsNoNumberFailsTheStep() {
    QFETCH(QString, model);
    QFETCH(QString, loss);
    QFETCH(float, number);
    QFETCH(QStringList, options);
    QFETCH(QString, message);
    QFETCH(QString, hint);
    const bool hasClasses = loss == "cross-entropy";
    // An exponent is a constant of its formula unless it is named.
    QStringList trainsAll = hasClasses ? QStringList() : QStringList{"--train", "*"};
    if (model == "power.onnx") trainsAll << "exponent";
    const ProgramResult made = runTemper(
        QStringList{"artifacts", path(model), "--loss", loss, "--out", path("nan")} + trainsAll);
    QVERIFY2(made.exitStatus == 0, made.all());
    const Tensor x = floatsFrom({2, 2}, {number, 1, -1, 1});
    if (hasClasses) {
        write("nan.npz", {{"x", x}, {"labels", Tensor::of<int64_t>({2}, {0, 1})}});
    } else {
        write("nan.npz", {{"x", x}, {"target", floatsFrom({2, 2}, {1, 2, 3, 4})}});
    }
    const QStringList step = QStringList{"step", path("nan"), "--feeds", path("nan.npz")} + options;
    const ProgramResult document = runTemper(step + QStringList{"--json"});
    const ProgramResult lines = runTemper(step);
    for (const ProgramResult& result : {document, lines}) {
        QVERIFY2(result.exitStatus == 1 && isFriendlyError(result), result.all());
        QVERIFY2(result.err.contains(message.toUtf8()), result.all());
        QVERIFY2(result.err.contains(hint.toUtf8()), result.all());
    }
    QVERIFY2(document.json()["steps"].toArray().size() >= 1, document.all());
    QVERIFY2(lines.out.contains("step 1: ") && !lines.out.contains("null"), lines.all());
    const bool isOfLoss = message.startsWith("The loss");
    QVERIFY2(!isOfLoss || lines.out.contains(" nan"), lines.all());
}

void CliLabelsTest::gradientsOfChoicesAreChecked_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("parameters");
    QTest::newRow("straight through")
        << QStringList{"round.onnx",         "x.npz", "--loss", "cross-entropy",
                       "--straight-through", "Round"}
        << 2;
    QTest::newRow("stopped") << QStringList{"round.onnx",    "x.npz",           "--loss",
                                            "cross-entropy", "--stop-gradient", "/round"}
                             << 1;
    QTest::newRow("a sequence, which needs no choice")
        << QStringList{"sequence.onnx", "sequence.npz", "--loss",
                       "mse",           "--replace",    "SequenceConstruct"}
        << 1;
    QTest::newRow("a condition replaced")
        << QStringList{"branch.onnx", "branch.npz", "--loss", "mse", "--replace", "If"} << 1;
}

void CliLabelsTest::gradientsOfChoicesAreChecked() {
    QFETCH(QStringList, arguments);
    QFETCH(int, parameters);
    const QStringList files = {"gradcheck", path(arguments[0]), "--feeds", path(arguments[1])};
    const ProgramResult refused = runTemper(files + arguments.mid(2, 2));
    const QString option = arguments[4] + " " + arguments[5];
    if (option != "--stop-gradient /round" && option != "--replace SequenceConstruct")
        QVERIFY2(refused.exitStatus != 0 && refused.err.contains(option.toUtf8()), refused.all());
    const ProgramResult checked = runTemper(files + arguments.mid(2) + QStringList{"--json"});
    QVERIFY2(checked.exitStatus == 0, checked.all());
    QVERIFY2(checked.json()["passed"].toBool(), checked.all());
    QCOMPARE(checked.json()["parameters"].toArray().size(), parameters);
}

/// Parameters that train are not reported as unknown.
void CliLabelsTest::operatorsThatFoldAwayAreNotFindings() {
    saveText("split.onnx", R"(
        m (float[N, 2] x) => (float[N, 2] y)
            <float[2, 4] w = {0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.8}, int64 half = {2},
             int64 first = {0}> {
            h = MatMul(x, w)
            s = SplitToSequence<axis = 1>(h, half)
            y = SequenceAt(s, first)
        })");
    const ProgramResult folded = runTemper({"inspect", path("split.onnx")});
    QVERIFY2(folded.exitStatus == 0 && !folded.all().contains("T001"), folded.all());
    const ProgramResult made =
        runTemper({"artifacts", path("split.onnx"), "--loss", "mse", "--out", path("split")});
    QVERIFY2(made.exitStatus == 0, made.all());
}

void CliLabelsTest::misspeltWordsGetASuggestion_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("suggestion");
    QTest::newRow("a command") << QStringList{"trian", "x"} << "Did you mean 'train'?";
    QTest::newRow("a command of a command")
        << QStringList{"checkpoint", "shwo", "x"} << "Did you mean 'show'?";
    QTest::newRow("an option") << QStringList{"train", "x", "--epohcs", "3"}
                               << "Did you mean '--epochs'?";
    QTest::newRow("an option with its value")
        << QStringList{"artifacts", "x", "--optimiser=sgd"} << "Did you mean '--optimizer'?";
    QTest::newRow("an option of data")
        << QStringList{"train", path("data"), "--data", path("data.csv") + "?tagret=y"}
        << "Did you mean 'target'?";
    const auto row = [this](const char* name, const QStringList& options, const char* suggestion) {
        QTest::newRow(name) << (QStringList{"train", path("data"), "--data",
                                            path("data.csv") + "?target=y"} +
                                options)
                            << suggestion;
    };
    row("a schedule", {"--schedule", "cosin"}, "Did you mean 'cosine'?");
    row("a metric that nothing shows", {"--metrics", "acuracy"}, "Did you mean 'accuracy'?");
    row("a metric among others", {"--metrics", "mae,top-5-acuracy"}, "'top-5-accuracy'?");
    row("the metric of the best", {"--best-metric", "los"}, "Did you mean 'loss'?");
    row("a metric of an evaluation", {"--eval-data", path("data.csv"), "--metrics", "acuracy"},
        "Did you mean 'accuracy'?");
    QTest::newRow("a kind of data")
        << QStringList{"train", path("data"), "--data", "cvs:" + path("data.csv")}
        << "Did you mean 'csv'?";
    QTest::newRow("a value of an option of data")
        << QStringList{"train", path("data"), "--data", path("data.csv") + "?invalid=drpo"}
        << "Did you mean 'drop'?";
    QTest::newRow("an optimizer") << QStringList{"artifacts", path("classes.onnx"), "--optimizer",
                                                 "adamv", "--dry-run"}
                                  << "Did you mean 'adamw'?";
    QTest::newRow("nothing like it") << QStringList{"zzzzzz"} << "hint: See 'temper --help'";
}

void CliLabelsTest::misspeltWordsGetASuggestion() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, suggestion);
    makeArtifacts("classes.onnx", "cross-entropy", "data");
    writeTable("data.csv", {0, 1, 2});
    const ProgramResult result = runTemper(arguments);
    QVERIFY2(result.exitStatus == 2 && isFriendlyError(result), result.all());
    QVERIFY2(result.err.contains(suggestion.toUtf8()), result.all());
}

void CliLabelsTest::aRunThatIsDoneSaysSo() {
    makeArtifacts("classes.onnx", "cross-entropy", "done");
    const QStringList train = {"train",   path("done"), "--data", path("x.npz"),
                               "--steps", "1",          "--save", path("d")};
    const ProgramResult first = runTemper(train);
    QVERIFY2(first.exitStatus == 0 && first.out.contains("finished after 1 step,"), first.all());
    const ProgramResult again = runTemper(train + QStringList{"--resume", path("d/last.ckpt")});
    QVERIFY2(again.exitStatus == 0, again.all());
    QVERIFY2(again.out.contains("nothing left to do: the state had done 1 step"), again.all());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliLabelsTest)
#include "cli_labels_test.moc"
