// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/core/file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/loss/loss_info.h"
#include "engine/training/spec/training_spec.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// The perceptron of spec/artifacts.md section 12.
constexpr const char* kPerceptron = R"(
    <ir_version: 7, opset_import: ["" : 14], producer_name: "pytorch">
    main_graph (float[batch, 4] input) => (float[batch, 3] output)
        <float[5, 4] fc1.weight = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
                                   0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0},
         float[5] fc1.bias = {0.0, 0.1, 0.2, 0.3, 0.4},
         float[3, 5] fc2.weight = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
                                   0.1, 0.2, 0.3, 0.4, 0.5},
         float[3] fc2.bias = {0.0, 0.1, 0.2}> {
        ["/fc1/Gemm"] fc1_out = Gemm<transB = 1>(input, fc1.weight, fc1.bias)
        ["/relu/Relu"] relu_out = Relu(fc1_out)
        ["/fc2/Gemm"] output = Gemm<transB = 1>(relu_out, fc2.weight, fc2.bias)
    })";

/// Two heads, a rounding, a constant, an integer.
constexpr const char* kOddModel = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    odd (float[N, 2] x, int64[N] which) => (float[N, 2] a, float[N, 2] b, float c)
        <float[2, 2] wa = {1.0, 2.0, 3.0, 4.0}, float[2, 2] wb = {1.0, 2.0, 3.0, 4.0},
         float[2, 2] wr = {1.0, 2.0, 3.0, 4.0}, int64[2] shape = {-1, 2}, float unused = {3.0}> {
        ha = MatMul(x, wa)
        a = Reshape(ha, shape)
        b = MatMul(x, wb)
        hr = MatMul(x, wr)
        ["rounding"] rounded = Round(hr)
        c = ReduceMean<keepdims = 0>(rounded)
    })";

class ArtifactsTest : public QObject {
    Q_OBJECT

private slots:
    void inputsAndOutputsAreInOrtsOrder();
    void onlyWhatTrainsHasABuffer();
    void theEvalModelIsTheBaseAndTheLoss();
    void optimizerModelsHaveOrtsInputs_data();
    void optimizerModelsHaveOrtsInputs();
    void filesComeBackAsTheyWere();
    void theSameChoicesGiveTheSameBytes();
    void evalModelsLeaveTrainingModeBehind();
    void lossesAreRecognised_data();
    void lossesAreRecognised();
    void ortsArtifactsAreRecognised();
    void problemsAreFindings_data();
    void problemsAreFindings();
    void patternsChooseParameters_data();
    void patternsChooseParameters();
    void specificationsSurviveJson();
    void badJsonIsNamed_data();
    void badJsonIsNamed();
};

std::vector<std::string> inputNames(const Graph& graph) { return namesOf(graph.inputs()); }

QString joined(const std::vector<std::string>& names) {
    QStringList list;
    for (const std::string& name : names) list << QString::fromStdString(name);
    return list.join(" ");
}

void ArtifactsTest::inputsAndOutputsAreInOrtsOrder() {
    const Artifacts artifacts = generateArtifacts(*parseText(kPerceptron), *allOps(), {});
    const Graph& training = *artifacts.trainingModel;
    QCOMPARE(joined(inputNames(training)),
             "input labels fc1.weight fc1.bias fc2.weight fc2.bias "
             "fc1.weight_grad.accumulation.buffer fc1.bias_grad.accumulation.buffer "
             "fc2.weight_grad.accumulation.buffer fc2.bias_grad.accumulation.buffer "
             "lazy_reset_grad");
    QCOMPARE(joined(namesOf(training.outputs())),
             "onnx::loss::2 fc1.weight_grad.accumulation.out fc1.bias_grad.accumulation.out "
             "fc2.weight_grad.accumulation.out fc2.bias_grad.accumulation.out");
    QCOMPARE(formatType(training.at("labels")->type()), std::string("int64[batch]"));
    QCOMPARE(formatType(training.at("lazy_reset_grad")->type()), std::string("bool[1]"));
    QCOMPARE(formatType(training.at("fc2.weight_grad.accumulation.buffer")->type()),
             std::string("float32[3, 5]"));
    const Value* seed = training.at("onnx::loss::2_grad");
    QCOMPARE(seed->constant().shape(), Shape{});
    QCOMPARE(seed->constant().toDouble(), 1.0);
    const Node* accumulator = training.at("fc1.bias_grad.accumulation.out")->producer();
    QCOMPARE(accumulator->name(), std::string("GradientAccumulator2"));
    QCOMPARE(joined(namesOf(accumulator->inputs())),
             "fc1.bias_grad.accumulation.buffer fc1.bias_grad lazy_reset_grad");
    QCOMPARE(training.info().opsetImports.at("com.microsoft"), int64_t{1});
    QCOMPARE(training.info().irVersion, int64_t{7});
    QCOMPARE(training.info().producerName, std::string("pytorch"));
}

void ArtifactsTest::onlyWhatTrainsHasABuffer() {
    ArtifactSpec spec;
    spec.trainable = {"fc2.*"};
    spec.extraOutputs = {"output"};
    const Artifacts artifacts = generateArtifacts(*parseText(kPerceptron), *allOps(), spec);
    const Graph& training = *artifacts.trainingModel;
    QCOMPARE(joined(inputNames(training)),
             "input labels fc1.weight fc1.bias fc2.weight fc2.bias "
             "fc2.weight_grad.accumulation.buffer fc2.bias_grad.accumulation.buffer "
             "lazy_reset_grad");
    QCOMPARE(
        joined(namesOf(training.outputs())),
        "onnx::loss::2 output fc2.weight_grad.accumulation.out fc2.bias_grad.accumulation.out");
    QCOMPARE(training.at("fc2.weight_grad.accumulation.out")->producer()->name(),
             std::string("GradientAccumulator2"));
    QVERIFY(training.find("relu_out_grad") == nullptr);
    QCOMPARE(artifacts.checkpoint.trainable.size(), size_t{2});
    QCOMPARE(artifacts.checkpoint.frozen.front().name, std::string("fc1.weight"));
}

void ArtifactsTest::theEvalModelIsTheBaseAndTheLoss() {
    const Artifacts artifacts = generateArtifacts(*parseText(kPerceptron), *allOps(), {});
    TextOptions options;
    options.header = false;
    options.valueTypes = false;
    const std::string text = toText(*artifacts.evalModel, options);
    const auto expected = parseText(R"(main_graph (float[batch, 4] input, int64[batch] labels,
            float[5, 4] fc1.weight, float[5] fc1.bias, float[3, 5] fc2.weight, float[3] fc2.bias)
            => (float "onnx::loss::2") {
        ["/fc1/Gemm"] fc1_out = Gemm<transB = 1>(input, fc1.weight, fc1.bias)
        ["/relu/Relu"] relu_out = Relu(fc1_out)
        ["/fc2/Gemm"] output = Gemm<transB = 1>(relu_out, fc2.weight, fc2.bias)
        ["onnx::SoftmaxCrossEntropyLoss::4"] "onnx::loss::2", "onnx::log_prob::3" =
            SoftmaxCrossEntropyLoss<reduction = "mean">(output, labels)
    })");
    QCOMPARE(QString::fromStdString(text), QString::fromStdString(toText(*expected, options)));
}

void ArtifactsTest::optimizerModelsHaveOrtsInputs_data() {
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("inputs");
    QTest::addColumn<int>("mode");
    QTest::newRow("AdamW, ORT's form")
        << "adamw"
        << "AdamWOptimizer"
        << "learning_rate step params gradients first_order_moments second_order_moments" << 1;
    QTest::newRow("AdamW, PyTorch's form")
        << "adamw-torch"
        << "AdamWOptimizer"
        << "learning_rate step params gradients first_order_moments second_order_moments" << 0;
    QTest::newRow("SGD") << "sgd"
                         << "SGDOptimizerV2"
                         << "learning_rate step params gradients first_order_moments" << -1;
}

void ArtifactsTest::optimizerModelsHaveOrtsInputs() {
    QFETCH(QString, optimizer);
    QFETCH(QString, node);
    QFETCH(QString, inputs);
    QFETCH(int, mode);
    ArtifactSpec spec;
    spec.optimizer = {optimizer.toStdString(), {{"clip_norm", 2.5}}};
    const Artifacts artifacts = generateArtifacts(*parseText(kPerceptron), *allOps(), spec);
    const Graph& graph = *artifacts.optimizerModel;
    QCOMPARE(joined(inputNames(graph)), inputs);
    const Node* update = graph.outputs().front()->producer();
    QCOMPARE(QString::fromStdString(update->opType()), node);
    QCOMPARE(update->attribute<int64_t>("adam_mode", -1), int64_t{mode});
    QCOMPARE(formatType(graph.outputs().front()->type()),
             std::string(mode < 0 ? "bool[]" : "bool[1]"));
    const Node* clip = graph.nodes().front();
    QCOMPARE(clip->opType(), std::string("InplaceClipGradNorm"));
    QCOMPARE(clip->attribute<float>("max_norm", 0), 2.5F);
}

void ArtifactsTest::filesComeBackAsTheyWere() {
    const QTemporaryDir folder;
    ArtifactSpec spec;
    spec.prefix = "digits_";
    spec.nominalCheckpoint = true;
    const Artifacts artifacts = generateArtifacts(*parseText(kPerceptron), *allOps(), spec);
    const std::filesystem::path out = folder.filePath("new/folder").toStdString();
    saveArtifacts(artifacts, out, spec);
    const Artifacts loaded = loadArtifacts(ArtifactPaths::inFolder(out, "digits_"), *allOps());
    QCOMPARE(toText(*loaded.trainingModel), toText(*artifacts.trainingModel));
    QCOMPARE(toText(*loaded.evalModel), toText(*artifacts.evalModel));
    QCOMPARE(toText(*loaded.optimizerModel), toText(*artifacts.optimizerModel));
    QCOMPARE(serializeCheckpoint(loaded.checkpoint), serializeCheckpoint(artifacts.checkpoint));
    QVERIFY(readCheckpoint(out / "digits_nominal_checkpoint").isNominal);
}

void ArtifactsTest::theSameChoicesGiveTheSameBytes() {
    const Artifacts a = generateArtifacts(*parseText(kPerceptron), *allOps(), {});
    const Artifacts b = generateArtifacts(*parseText(kPerceptron), *allOps(), {});
    QCOMPARE(serializeModel(*a.trainingModel), serializeModel(*b.trainingModel));
    QCOMPARE(serializeModel(*a.evalModel), serializeModel(*b.evalModel));
    QCOMPARE(serializeCheckpoint(a.checkpoint), serializeCheckpoint(b.checkpoint));
}

void ArtifactsTest::evalModelsLeaveTrainingModeBehind() {
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 15]>
        g (float[N, 2] x) => (float[N, 2] y)
        <float[2] s = {1.0, 1.0}, float[2] b = {0.0, 0.0}, float[2] rm = {0.0, 0.0},
         float[2] rv = {1.0, 1.0}, float ratio = {0.5}, bool tm = {1}> {
            d = Dropout(x, ratio, tm)
            y, rm2, rv2 = BatchNormalization<training_mode = 1, momentum = 0.9>(d, s, b, rm, rv)
        })");
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    const Artifacts artifacts = generateArtifacts(*model, *allOps(), spec);
    for (const Node* node : artifacts.evalModel->nodes()) {
        if (node->opType() == "Dropout") QVERIFY(node->input(2) == nullptr);
        if (node->opType() != "BatchNormalization") continue;
        QCOMPARE(node->attribute<int64_t>("training_mode", 7), int64_t{0});
        QVERIFY(node->output(1) == nullptr);
    }
    QCOMPARE(artifacts.checkpoint.frozen.size(), size_t{2});
    QCOMPARE(artifacts.checkpoint.trainable.size(), size_t{2});
}

void ArtifactsTest::lossesAreRecognised_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("target");
    QTest::newRow("cross entropy") << "cross-entropy"
                                   << "labels";
    QTest::newRow("mean squared error") << "mse"
                                        << "target";
    QTest::newRow("mean absolute error") << "l1"
                                         << "target";
    QTest::newRow("binary cross entropy") << "bce-with-logits"
                                          << "target";
}

void ArtifactsTest::lossesAreRecognised() {
    QFETCH(QString, loss);
    QFETCH(QString, target);
    ArtifactSpec spec;
    spec.loss = {loss.toStdString(), {}};
    const Artifacts artifacts = generateArtifacts(*parseText(kPerceptron), *allOps(), spec);
    for (const auto& graph : {artifacts.evalModel, artifacts.trainingModel}) {
        const LossInfo info = describeLoss(*graph);
        QCOMPARE(QString::fromStdString(info.kind), loss);
        QCOMPARE(info.prediction, std::string("output"));
        QCOMPARE(QString::fromStdString(info.target), target);
    }
}

void ArtifactsTest::ortsArtifactsAreRecognised() {
    const auto graph = loadModel(conformanceFolder() / "ort/training_api/eval_model.onnx");
    const LossInfo info = describeLoss(*graph);
    QCOMPARE(info.kind, std::string("cross-entropy"));
    QCOMPARE(info.prediction, std::string("output-0"));
    QCOMPARE(info.target, std::string("labels"));
}

void ArtifactsTest::problemsAreFindings_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* json, const char* code, const char* message) {
        QTest::newRow(name) << json << code << message;
    };
    row("a pattern without match", R"({"trainable": ["conv*"], "loss_inputs": ["a"]})", "A001",
        "'conv*' in the list of trainable parameters matches no parameter");
    row("a name in both lists", R"({"trainable": ["wa"], "frozen": ["wa"], "loss_inputs": ["a"]})",
        "A002", "'wa' is in both lists");
    row("an integer tensor", R"({"trainable": ["shape"], "loss_inputs": ["a"]})", "A003",
        "it is a shape data");
    row("two outputs and no choice", "{}", "A004", "The model has 3 outputs (a, b, c)");
    row("an unknown prediction", R"({"loss_inputs": ["z"]})", "A004", "no value 'z'");
    row("a target's name that is taken", R"({"loss_inputs": ["a", "ha"]})", "A005", "'ha'");
    row("an unknown extra output", R"({"loss_inputs": ["a"], "extra_outputs": ["z"]})", "A006",
        "'z' is not an output");
    row("an extra output given twice", R"({"loss_inputs": ["a"], "extra_outputs": ["b", "b"]})",
        "A006", "given twice");
    row("everything frozen", R"({"frozen": ["*"], "loss_inputs": ["a"]})", "A007",
        "No parameter of the model trains");
    row("an unknown loss", R"({"loss": "hinges", "loss_inputs": ["a"]})", "A008",
        "Loss 'hinges' is unknown");
    row("labels for a scalar", R"({"loss": "cross-entropy", "loss_inputs": ["c"]})", "A008",
        "Cross entropy reads logits");
    row("no loss for a matrix", R"({"loss": "none", "loss_inputs": ["a"]})", "A008",
        "expected a float32 scalar");
    row("a parameter that can't be reached", R"({"trainable": ["wb"], "loss_inputs": ["a"]})",
        "G003", "'wb' does not influence");
    row("a rounding on the way", R"({"trainable": ["wr"], "loss": "none", "loss_inputs": ["c"]})",
        "G002", "'rounding'");
}

void ArtifactsTest::problemsAreFindings() {
    QFETCH(QString, json);
    QFETCH(QString, code);
    QFETCH(QString, message);
    const TrainingSpec spec = trainingSpecFromJson(("{\"artifacts\": " + json + "}").toStdString());
    const auto model = parseText(kOddModel);
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), spec.artifacts);
    const auto found = std::find_if(plan.findings.begin(), plan.findings.end(), [&](const auto& f) {
        return QString::fromStdString(f.code) == code &&
               QString::fromStdString(f.message).contains(message);
    });
    QStringList all;
    for (const Finding& f : plan.findings) {
        all << QString::fromStdString(f.code + " " + f.message);
    }
    QVERIFY2(found != plan.findings.end(), qPrintable(all.join("\n")));
    QVERIFY(found->severity == Severity::Error);
    QVERIFY(!found->hint.empty());
    QVERIFY_EXCEPTION_THROWN(generateArtifacts(*model, *allOps(), spec.artifacts), Error);
}

void ArtifactsTest::patternsChooseParameters_data() {
    QTest::addColumn<QStringList>("trainable");
    QTest::addColumn<QStringList>("frozen");
    QTest::addColumn<QString>("expected");
    QTest::newRow("nothing named")
        << QStringList() << QStringList() << "fc1.weight fc1.bias fc2.weight fc2.bias";
    QTest::newRow("trainable named")
        << QStringList{"*.bias"} << QStringList() << "fc1.bias fc2.bias";
    QTest::newRow("frozen named") << QStringList() << QStringList{"fc1.*"} << "fc2.weight fc2.bias";
    QTest::newRow("frozen wins over a pattern")
        << QStringList{"*"} << QStringList{"fc?.bias"} << "fc1.weight fc2.weight";
}

void ArtifactsTest::patternsChooseParameters() {
    QFETCH(QStringList, trainable);
    QFETCH(QStringList, frozen);
    QFETCH(QString, expected);
    ArtifactSpec spec;
    for (const QString& pattern : trainable) spec.trainable.push_back(pattern.toStdString());
    for (const QString& pattern : frozen) spec.frozen.push_back(pattern.toStdString());
    const ArtifactPlan plan = planArtifacts(*parseText(kPerceptron), *allOps(), spec);
    QCOMPARE(joined(plan.trainable), expected);
    QCOMPARE(plan.trainable.size() + plan.frozen.size(), size_t{4});
}

void ArtifactsTest::specificationsSurviveJson() {
    TrainingSpec spec;
    spec.model = "a \"model\".onnx";
    spec.artifacts.trainable = {"fc2.*"};
    spec.artifacts.optimizer = {"sgd", {{"clip_norm", 0.5}}};
    spec.run.binding = {{"input", "image"}};
    spec.run.session.seed = 0xFFFFFFFFFFFFFFFF;
    spec.run.learningRate = 0.1;
    spec.run.schedule = {"cosine", {{"warmup_steps", 7}}};
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
    QVERIFY(trainingSpecFromJson("{}") == TrainingSpec());
}

void ArtifactsTest::badJsonIsNamed_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("message");
    QTest::newRow("no JSON") << "{"
                             << "is not JSON";
    QTest::newRow("an array") << "[]"
                              << "expected an object";
    QTest::newRow("an unknown key") << R"({"run": {"epoch": 3}})"
                                    << "'run.epoch'";
    QTest::newRow("a wrong kind") << R"({"run": {"epochs": "many"}})"
                                  << "'run.epochs' is \"many\"";
}

void ArtifactsTest::badJsonIsNamed() {
    QFETCH(QString, json);
    QFETCH(QString, message);
    try {
        trainingSpecFromJson(json.toStdString());
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ArtifactsTest)
#include "artifacts_test.moc"
