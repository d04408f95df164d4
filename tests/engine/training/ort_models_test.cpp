// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/core/random.h"
#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/rehearsal/gradient_check.h"
#include "tests/engine/training/oracle_run.h"

namespace temper::test {
namespace {

/// A model of conformance/ort-models and how it is trained here.
struct ModelCase {
    const char* name;
    const char* output = "";                 ///< that the loss reads; empty: the only output
    Shape input = {};                        ///< of the first input, if a smaller one suffices
    float largest = 1;                       ///< of its random inputs
    std::vector<std::string> frozen = {};    ///< in addition to those frozen automatically
    std::vector<std::string> replaced = {};  ///< parameters that get random numbers
    std::vector<std::string> checked = {};   ///< by differences; empty: all that train
    const char* refusal = nullptr;           ///< why it does not train: part of the message
    bool isRandom = false;                   ///< its Dropout differs from run to run
};

const std::vector<ModelCase>& models() {
    static const std::vector<ModelCase> kModels = {
        {.name = "attention_int32_mask"},
        // The softmax ignores what is added to all scores of a row.
        {.name = "attention_mask_no_cast", .frozen = {"sub_weight"}},
        {.name = "bart_mlp_megatron", .isRandom = true},
        {.name = "bert_toy", .output = "prediction_scores"},
        {.name = "concat_slice"},
        {.name = "concat_trainable"},
        {.name = "conv1d_add_mul"},
        {.name = "conv_bn", .input = {1, 3, 24, 24}},
        {.name = "conv_bn_mul_add", .input = {1, 3, 24, 24}},
        {.name = "conv_convtranspose", .input = {1, 32, 6, 5}},
        {.name = "dropout", .output = "O1", .refusal = "The model has no trainable parameters"},
        {.name = "embed_layer_norm"},
        {.name = "fast_gelu_pattern"},
        {.name = "gelu_pattern", .input = {1, 2, 3072}},
        // All its weights are 1: a softmax of thousands, and a sum that the normalization removes.
        {.name = "gpt2_attention_fused",
         .output = "output",
         .replaced = {"matmul_fc_weight", "gemm_weight"}},
        {.name = "gpt2_megatron", .output = "logits"},
        // The exponents: negative numbers have only powers with whole exponents.
        {.name = "layer_norm_pattern", .output = "LN1/C", .frozen = {"*/pow_in_2"}},
        {.name = "lstm_bidirectional"},
        {.name = "matmul_bn_reshape"},
        {.name = "mlp_mnist"},
        {.name = "mnist_cnn_pytorch"},
        {.name = "mnist_cntk"},
        {.name = "mobilenet_v3_small_excerpt", .input = {2, 3, 16, 16}},
        {.name = "scan", .output = "ElementTimes16679_Output_0"},
        {.name = "self_attention_megatron", .isRandom = true},
        {.name = "simplified_ssd", .input = {1, 3, 32, 32}},
        // It reflects 40 pixels: with a smaller image ONNX Runtime reads beyond its end. With a
        // nearly uniform one, the first normalization would leave mostly rounding errors.
        {.name = "style_transfer",
         .input = {1, 3, 48, 44},
         .largest = 128,
         .checked = {"convolution_W", "convolution13_B"}},
        {.name = "three_output_matmul", .output = "output-1"},
        {.name = "transformer_gathernd", .output = "output"},
        {.name = "whisper_encoder_attention"},
    };
    return kModels;
}

std::filesystem::path modelsFolder() { return conformanceFolder() / "ort-models"; }

std::filesystem::path dataFolder(const std::string& model) {
    return modelsFolder() / "data" / model;
}

Tensor randomFloats(const Shape& shape, uint64_t seed, float largest = 1) {
    Tensor tensor(DType::Float32, shape);
    Random random(seed);
    for (float& value : tensor.mutableValues<float>()) value = largest * (2 * random.uniform() - 1);
    return tensor;
}

/// The model, for inputs of the size that the case requests.
std::unique_ptr<Graph> modelOf(const ModelCase& oneCase) {
    std::unique_ptr<Graph> graph =
        loadModel(modelsFolder() / (std::string(oneCase.name) + ".onnx"));
    for (const std::string& name : oneCase.replaced) {
        Value* weights = graph->at(name);
        graph->setConstant(weights, randomFloats(weights->constant().shape(), 3, 0.2F));
    }
    if (oneCase.input.empty()) return graph;
    Value* input = graph->inputs().front();
    for (Node* node : graph->nodes()) {
        auto sizes = node->attribute<std::vector<int64_t>>("output_shape", {});
        for (size_t i = 0; i < sizes.size(); ++i) {
            // One element on each side is cropped off afterwards.
            sizes[i] =
                (sizes[i] - 2) * oneCase.input[i + 2] / (*input->type().shape)[i + 2].value + 2;
        }
        if (!sizes.empty()) node->setAttribute("output_shape", sizes);
    }
    input->setType({input->type().dtype, symbolicShape(oneCase.input), false});
    return graph;
}

Arrays run(std::shared_ptr<const Graph> graph, const Arrays& inputs) {
    ThreadPool pool(1);
    GraphRunner runner(graph, allOps()->catalog, allOps()->cpuKernels, std::make_shared<Arena>(),
                       pool);
    std::vector<Tensor> feeds;
    for (const std::string& name : runner.fedInputs()) feeds.push_back(inputs.at(name));
    const std::span<const Tensor> outputs = runner.run(feeds);
    Arrays results;
    for (size_t i = 0; i < outputs.size(); ++i) {
        results[graph->outputs()[i]->name()] = outputs[i].clone();
    }
    return results;
}

/// Its recorded mask has one column for past and sequence of eight: ONNX Runtime read beyond its
/// end, and recorded what it found there.
const std::string kShortMask = "gpt2_attention_fused";

Tensor wholeMask() {
    return Tensor::of<float>({2, 8}, {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1});
}

/// The recorded inputs, or random ones of the declared shape (1 for an open dimension).
Arrays inputsFor(const ModelCase& oneCase, const Graph& graph) {
    const bool isRecorded = std::filesystem::exists(dataFolder(oneCase.name));
    if (isRecorded && oneCase.input.empty()) {
        Arrays inputs = readNpz(dataFolder(oneCase.name) / "inputs.npz");
        if (oneCase.name == kShortMask) inputs["input_mask"] = wholeMask();
        return inputs;
    }
    Arrays inputs;
    for (const Value* input : graph.inputs()) {
        Shape shape;
        for (const Dim& dim : *input->type().shape) shape.push_back(dim.isNumber() ? dim.value : 1);
        inputs[input->name()] = randomFloats(shape, 5, oneCase.largest).cast(input->type().dtype);
    }
    return inputs;
}

/// Mean squared error of the case's output, AdamW.
ArtifactSpec specOf(const ModelCase& oneCase) {
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.optimizer = {"adamw", {}};
    spec.frozen = oneCase.frozen;
    if (*oneCase.output != '\0') spec.lossInputs = {oneCase.output};
    return spec;
}

/// A model in training, and its feeds.
struct Setup {
    explicit Setup(const ModelCase& oneCase, std::vector<std::string> trainable = {})
        : spec(specOf(oneCase)) {
        spec.trainable = std::move(trainable);
        std::shared_ptr<const Graph> graph = modelOf(oneCase);
        arrays = inputsFor(oneCase, *graph);
        const Arrays outputs = run(graph, arrays);
        const std::string output =
            *oneCase.output != '\0' ? oneCase.output : graph->outputs().front()->name();
        arrays["target"] = randomFloats(outputs.at(output).shape(), 9);
        Artifacts artifacts = generateArtifacts(*graph, *allOps(), spec);
        saveArtifacts(artifacts, folder.path().toStdString(), spec);
        state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        session = std::make_unique<TrainingSession>(std::move(artifacts), state, allOps());
        for (const std::string& name : session->inputNames()) {
            fed[name] = arrays.at(name);
            feeds.push_back(arrays.at(name));
        }
    }

    const QTemporaryDir folder;
    ArtifactSpec spec;
    Arrays arrays;
    Arrays fed;
    std::vector<Tensor> feeds;
    std::shared_ptr<CheckpointState> state;
    std::unique_ptr<TrainingSession> session;
};

/// Runs `f`; an error of the engine fails the test with its message.
template <typename F>
void guarded(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        QFAIL(error.what());
    }
}

const ModelCase& caseOf(int row) { return models().at(static_cast<size_t>(row)); }

}  // namespace

/// Models from many exporters: they run, report what keeps them from training, or train.
class OrtModelsTest : public QObject {
    Q_OBJECT

private slots:

    void everyModelIsInTheTable() {
        for (const auto& entry : std::filesystem::directory_iterator(modelsFolder())) {
            if (entry.path().extension() != ".onnx") continue;
            const std::string name = entry.path().stem();
            const bool isListed =
                std::any_of(models().begin(), models().end(),
                            [&](const ModelCase& oneCase) { return oneCase.name == name; });
            QVERIFY2(isListed, name.c_str());
        }
    }

    void recordedOutputsAreReproduced_data();
    void recordedOutputsAreReproduced();
    void aMaskThatIsTooShortIsRefused();
    void whatDoesNotTrainIsRefusedWithAReason_data();
    void whatDoesNotTrainIsRefusedWithAReason();
    void gradientsAgreeWithDifferences_data() { addRows(true); }
    void gradientsAgreeWithDifferences();
    void theExportedModelKeepsOperatorsAndNames_data() { addRows(true); }
    void theExportedModelKeepsOperatorsAndNames();
    void threeStepsAreThoseOfOnnxRuntime_data() { addRows(true); }
    void threeStepsAreThoseOfOnnxRuntime();

private:
    static void addRows(bool trainable) {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < models().size(); ++i) {
            if ((models()[i].refusal == nullptr) != trainable) continue;
            QTest::newRow(models()[i].name) << static_cast<int>(i);
        }
    }
};

void OrtModelsTest::recordedOutputsAreReproduced_data() {
    QTest::addColumn<int>("row");
    for (size_t i = 0; i < models().size(); ++i) {
        if (!std::filesystem::exists(dataFolder(models()[i].name))) continue;
        QTest::newRow(models()[i].name) << static_cast<int>(i);
    }
}

/// Accurate to about 1e-4 relative, as the folder's README says.
void OrtModelsTest::recordedOutputsAreReproduced() {
    QFETCH(int, row);
    const std::string name = caseOf(row).name;
    if (name == kShortMask) return;  // see the test below
    const Arrays expected = readNpz(dataFolder(name) / "outputs.npz");
    const Arrays found =
        run(loadModel(modelsFolder() / (name + ".onnx")), readNpz(dataFolder(name) / "inputs.npz"));
    QCOMPARE(found.size(), expected.size());
    for (const auto& [output, tensor] : found) {
        const double worst = worstRatio(tensor, expected.at(output), 1e-5, 1e-4);
        QVERIFY2(worst <= 1,
                 qPrintable(QString("%1: %2 of the tolerance").arg(output.c_str()).arg(worst)));
    }
}

void OrtModelsTest::aMaskThatIsTooShortIsRefused() {
    const std::filesystem::path data = dataFolder(kShortMask);
    const std::shared_ptr<const Graph> graph = loadModel(modelsFolder() / (kShortMask + ".onnx"));
    Arrays inputs = readNpz(data / "inputs.npz");
    try {
        run(graph, inputs);
        QFAIL("it ran");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("Attention"), error.what());
        QVERIFY2(QString(error.what()).contains("mask"), error.what());
    }
    inputs["input_mask"] = wholeMask();
    const Tensor present = readNpz(data / "outputs.npz").at("present");
    QVERIFY(worstRatio(run(graph, inputs).at("present"), present, 1e-5, 1e-4) <= 1);
}

void OrtModelsTest::whatDoesNotTrainIsRefusedWithAReason_data() { addRows(false); }

void OrtModelsTest::whatDoesNotTrainIsRefusedWithAReason() {
    QFETCH(int, row);
    const ModelCase& oneCase = caseOf(row);
    try {
        generateArtifacts(*modelOf(oneCase), *allOps(), specOf(oneCase));
        QFAIL("artifacts were made");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(oneCase.refusal), error.what());
        QVERIFY(!error.hint().empty());
    }
}

void OrtModelsTest::gradientsAgreeWithDifferences() {
    QFETCH(int, row);
    guarded([&] {
        Setup setup(caseOf(row), caseOf(row).checked);
        for (const auto& check : checkGradients(*setup.session, allOps(), setup.feeds, 1)) {
            QVERIFY2(check.passes(1e-3), qPrintable(QString("%1: %2, rounding %3")
                                                        .arg(check.name.c_str())
                                                        .arg(check.maxRelativeError)
                                                        .arg(check.roundingError)));
        }
    });
}

/// Fused operators are decomposed in the training model only.
void OrtModelsTest::theExportedModelKeepsOperatorsAndNames() {
    QFETCH(int, row);
    guarded([&] {
        const ModelCase& oneCase = caseOf(row);
        Setup setup(oneCase);
        const std::unique_ptr<Graph> before = modelOf(oneCase);
        for (const Parameter& parameter : setup.state->parameters()) {
            QVERIFY2(before->find(parameter.name) != nullptr, parameter.name.c_str());
        }
        const std::string output =
            *oneCase.output != '\0' ? oneCase.output : before->outputs().front()->name();
        before->setOutputs({before->at(output)});
        before->removeUnused();
        const std::unique_ptr<Graph> after = setup.session->inferenceModel({output});
        const auto operators = [](const Graph& graph) {
            std::vector<std::string> names;
            for (const Node* node : graph.nodes()) names.push_back(node->qualifiedOp());
            std::sort(names.begin(), names.end());
            return names;
        };
        QVERIFY(operators(*after) == operators(*before));
    });
}

void OrtModelsTest::threeStepsAreThoseOfOnnxRuntime() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    QFETCH(int, row);
    const ModelCase& oneCase = caseOf(row);
    if (oneCase.isRandom) QSKIP("its Dropout differs from run to run");
    guarded([&] {
        Setup setup(oneCase);
        setup.session->setLearningRate(1e-3F);  // the runtime's own
        const QString feeds = setup.folder.filePath("feeds.npz");
        writeNpz(feeds.toStdString(), setup.fed);
        const OracleResult there =
            trainThere(setup.folder.path(), "checkpoint", feeds, 3, {"--feeds-mode", "reuse"});
        QVERIFY2(there.succeeded(), qPrintable(there.log));
        compareLosses(there.output, trainHere(*setup.session, setup.fed, 3), 1e-4);
    });
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OrtModelsTest)
#include "ort_models_test.moc"
