// SPDX-License-Identifier: Apache-2.0
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/core/random.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

/// A loss over two outputs and two targets, from the model to the exported one.
class CliLossTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void aFormulaIsTrainedEvaluatedAndExported();
    void mistakesInAFormulaAreMarked();
    void formulasServeGradcheckAndBench();
    void optionsAreFlags();
    void helpNamesLossesAndOptions();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    QTemporaryDir dir_;
};

constexpr const char* kFormula = "0.4*mse(out1, target1) + 0.6*huber(out2, target2, delta=2)";
constexpr int64_t kSamples = 96;

Tensor randomTensor(Shape shape, uint64_t seed, float scale) {
    Random random(seed);
    Tensor tensor(DType::Float32, std::move(shape));
    for (float& value : tensor.mutableValues<float>()) value = scale * random.normal();
    return tensor;
}

/// Linear functions of the inputs, so that a linear model can learn them.
Tensor linearTarget(const Tensor& x, int64_t outputs, uint64_t seed) {
    const Tensor weight = randomTensor({4, outputs}, seed, 1);
    Tensor target(DType::Float32, {kSamples, outputs});
    const auto a = x.values<float>();
    const auto w = weight.values<float>();
    auto y = target.mutableValues<float>();
    for (int64_t i = 0; i < kSamples; ++i) {
        for (int64_t k = 0; k < 4; ++k) {
            for (int64_t j = 0; j < outputs; ++j) {
                y[size_t(i * outputs + j)] += a[size_t(i * 4 + k)] * w[size_t(k * outputs + j)];
            }
        }
    }
    return target;
}

void CliLossTest::initTestCase() {
    Graph model;
    model.setName("two");
    model.info().opsetImports = {{"", 17}};
    const auto floats = [](SymbolicShape shape) {
        return ValueType{DType::Float32, std::move(shape), false};
    };
    Value* input = model.addInput("input", floats({Dim::named("batch"), Dim::of(4)}));
    for (int64_t i = 1; i <= 2; ++i) {
        const std::string number = std::to_string(i);
        Value* weight =
            model.addInitializer("weight" + number, randomTensor({4, 4 - i}, uint64_t(i), 0.1F));
        Value* output =
            model
                .addNode({"MatMul", {input, weight}, {"out" + number}, {}, "", "/fc" + number, ""})
                ->output(0);
        output->setType(floats({Dim::named("batch"), Dim::of(4 - i)}));
        model.addOutput(output);
    }
    saveModel(model, path("two.onnx").toStdString());
    const Tensor x = randomTensor({kSamples, 4}, 11, 1);
    writeNpz(
        path("data.npz").toStdString(),
        {{"input", x}, {"target1", linearTarget(x, 3, 12)}, {"target2", linearTarget(x, 2, 13)}});
}

void CliLossTest::aFormulaIsTrainedEvaluatedAndExported() {
    const ProgramResult made = runTemper(
        {"artifacts", path("two.onnx"), "--loss", kFormula, "--out", path("art"), "--json"});
    QVERIFY2(made.exitStatus == 0, made.all());
    QCOMPARE(made.json()["targets"].toArray(), (QJsonArray{"target1", "target2"}));
    QCOMPARE(made.json()["predictions"].toArray(), (QJsonArray{"out1", "out2"}));

    const QStringList data = {"--data", path("data.npz")};
    const ProgramResult before = runTemper(QStringList{"evaluate", path("art"), "--json"} + data);
    QVERIFY2(before.exitStatus == 0, before.all());
    const ProgramResult trained =
        runTemper(QStringList{"train", path("art"), "--eval-data", path("data.npz"), "--epochs",
                              "60", "--lr", "0.05", "--batch-size", "16", "--save", path("run")} +
                  data);
    QVERIFY2(trained.exitStatus == 0, trained.all());
    const ProgramResult after = runTemper(
        QStringList{"evaluate", path("art"), "--checkpoint", path("run/last.ckpt"), "--json"} +
        data);
    QVERIFY2(after.exitStatus == 0, after.all());
    QVERIFY2(after.json()["loss"].toDouble() < 0.01 * before.json()["loss"].toDouble(),
             before.all() + after.all());

    const ProgramResult exported =
        runTemper({"export", path("art"), "--checkpoint", path("run/last.ckpt"), "--out",
                   path("trained.onnx")});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    const auto model = loadModel(path("trained.onnx").toStdString());
    QCOMPARE(namesOf(model->outputs()), (std::vector<std::string>{"out1", "out2"}));
    QCOMPARE(namesOf(model->inputs()), (std::vector<std::string>{"input"}));
    const ProgramResult inspected = runTemper({"inspect", path("art/eval_model.onnx"), "--json"});
    QCOMPARE(inspected.json()["kind"].toString(), QString("eval"));
}

void CliLossTest::mistakesInAFormulaAreMarked() {
    const ProgramResult result = runTemper(
        {"artifacts", path("two.onnx"), "--loss", "0.4*mes(out1, target1)", "--out", path("none")});
    QCOMPARE(result.exitStatus, 1);
    QVERIFY2(result.err.contains("Unknown loss 'mes'.\n"
                                 "    0.4*mes(out1, target1)\n"
                                 "        ^~~\n"
                                 "  hint: Did you mean 'mse'?"),
             result.all());
    QVERIFY(!QFileInfo::exists(path("none")));
}

void CliLossTest::formulasServeGradcheckAndBench() {
    const ProgramResult checked = runTemper(
        {"gradcheck", path("two.onnx"), "--loss", kFormula, "--feeds", path("data.npz"), "--json"});
    QVERIFY2(checked.exitStatus == 0, checked.all());
    QVERIFY(checked.json()["passed"].toBool());
    QCOMPARE(checked.json()["parameters"].toArray().size(), 2);
    const ProgramResult timed = runTemper({"bench", path("two.onnx"), "--loss", kFormula, "--feeds",
                                           path("data.npz"), "--steps", "2", "--json"});
    QVERIFY2(timed.exitStatus == 0, timed.all());
}

void CliLossTest::optionsAreFlags() {
    const ProgramResult flags =
        runTemper({"artifacts", path("two.onnx"), "--loss", "huber", "--delta", "2", "--loss-input",
                   "out2", "t", "--out", path("flags")});
    QVERIFY2(flags.exitStatus == 0, flags.all());
    const ProgramResult formula = runTemper({"artifacts", path("two.onnx"), "--loss",
                                             "huber(out2, t, delta=2)", "--out", path("formula")});
    QVERIFY2(formula.exitStatus == 0, formula.all());
    const auto bytes = [&](const char* file) {
        return serializeModel(*loadModel(path(file).toStdString()));
    };
    QCOMPARE(bytes("flags/training_model.onnx"), bytes("formula/training_model.onnx"));
    const ProgramResult lost = runTemper(
        {"artifacts", path("two.onnx"), "--loss", "huber(out2, t)", "--delta", "2", "--dry-run"});
    QCOMPARE(lost.exitStatus, 1);
    QVERIFY2(lost.err.contains("'delta' does not apply to a formula"), lost.all());
}

void CliLossTest::helpNamesLossesAndOptions() {
    const ProgramResult help = runTemper({"artifacts", "--help"});
    QCOMPARE(help.exitStatus, 0);
    for (const char* part : {"cross_entropy(output, labels", "label_smoothing=", "weight=[...]",
                             "cosine_embedding(output1, output2, target", "l2(parameters)",
                             "--delta", "--ignore-index", "reduction="}) {
        QVERIFY2(help.out.contains(part), part);
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliLossTest)
#include "cli_loss_test.moc"
