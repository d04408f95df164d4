// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/onnx/model_file.h"
#include "tests/engine/training/custom_ops.h"
#include "tests/engine/training/ort_api_fixture.h"

namespace temper::test {

namespace fs = std::filesystem;
using Ort = OrtApiFixture;

/// The cases of ONNX Runtime's training_capi_tests.cc, under their names.
/// Source: spec/orttests.md section 2.
class OrtCapiTest : public QObject {
    Q_OBJECT

private slots:
    void SaveCheckpoint();
    void LoadCheckpointFromBuffer();
    void AddProperty_data();
    void AddProperty();
    void InputNames();
    void OutputNames();
    void NamesByIndex();
    void ToBuffer();
    void FromBuffer();
    void RegisterCustomOps();
    void LoadModelsAndCreateSession();
    void LoadModelsAndCreateSession_ORTFormat();
    void LoadONNXModelsFromBuffer();
    void LoadONNXModelsFromBufferThenExport();
    void LoadORTFormatModelsFromBuffer();
    void LoadModelsFromBufferThrows();
    void GetParameter();
    void UpdateParameter();
    void UnknownAndNominalParametersAreRefused();
    void DevicesOtherThanTheCpuAreRefused();
    void ModuleAndOptimizerWithNominalState();

private:
    fs::path path(const char* name) const { return dir_.filePath(name).toStdString(); }
    QTemporaryDir dir_;
};

static std::span<const std::byte> bytesOf(const std::string& text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

static std::unique_ptr<TrainingSession> sessionFromMemory(const ArtifactPaths& paths) {
    const std::string training = readFile(paths.trainingModel);
    const std::string eval = readFile(paths.evalModel);
    const std::string optimizer = readFile(paths.optimizerModel);
    const std::string checkpoint = readFile(paths.checkpoint);
    Artifacts artifacts = parseArtifacts(
        {bytesOf(training), bytesOf(eval), bytesOf(optimizer), bytesOf(checkpoint)}, *allOps());
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    return std::make_unique<TrainingSession>(std::move(artifacts), state, allOps());
}

void OrtCapiTest::SaveCheckpoint() {
    const auto first = Ort::session({Ort::api() / "training_model.onnx", {}, {}, {}}, Ort::state());
    first->state().save(path("new.ckpt"), false);
    const auto saved = std::make_shared<CheckpointState>(CheckpointState::load(path("new.ckpt")));
    QVERIFY(!saved->hasOptimizerState());
    const auto second = Ort::session({Ort::api() / "training_model.onnx", {}, {}, {}}, saved);
    QVERIFY(sameBits(second->toBuffer(false), first->toBuffer(false)));
    QVERIFY(errorOf([&] { second->optimizerStep(); }).contains("No optimizer session initialized"));
    QVERIFY(errorOf([&] {
                second->evalStep(Ort::recordedFeeds());
            }).contains("Evaluation session not initialized"));
}

void OrtCapiTest::LoadCheckpointFromBuffer() {
    const std::string bytes = readFile(Ort::api() / "checkpoint.ckpt");
    const CheckpointState state = CheckpointState::parse(bytesOf(bytes));
    state.save(path("from-buffer.ckpt"));
    const CheckpointState again = CheckpointState::load(path("from-buffer.ckpt"));
    QCOMPARE(again.parameters().size(), size_t{4});
    for (const Parameter& parameter : state.parameters()) {
        QVERIFY(sameBits(again.parameter(parameter.name).data, parameter.data));
    }
}

void OrtCapiTest::AddProperty_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("kind");
    QTest::newRow("AddIntProperty") << "hours in a year" << 0;
    QTest::newRow("AddFloatProperty") << "pi" << 1;
    QTest::newRow("AddStringProperty") << "framework" << 2;
}

void OrtCapiTest::AddProperty() {
    QFETCH(QString, name);
    QFETCH(int, kind);
    const PropertyValue values[] = {int64_t{8760}, 3.14F, std::string("onnxruntime")};
    CheckpointState state = CheckpointState::load(Ort::api() / "checkpoint.ckpt");
    const std::string key = name.toStdString();
    QVERIFY(errorOf([&] { state.property(key); }).contains("No property named " + name));
    state.setProperty(key, std::string("of another type"));
    state.setProperty(key, values[kind]);
    QVERIFY(state.hasProperty(key));
    QVERIFY(state.property(key) == values[kind]);
    QCOMPARE(state.properties().size(), size_t{1});
    state.save(path("property.ckpt"));
    QVERIFY(CheckpointState::load(path("property.ckpt")).property(key) == values[kind]);
}

void OrtCapiTest::InputNames() {
    const auto session = Ort::session();
    const std::vector<std::string> expected{"input-0", "labels"};
    QCOMPARE(session->inputNames(true), expected);
    QCOMPARE(session->inputNames(false), expected);
}

void OrtCapiTest::OutputNames() {
    const auto session = Ort::session();
    const std::vector<std::string> expected{"onnx::loss::21273"};
    QCOMPARE(session->outputNames(true), expected);
    QCOMPARE(session->outputNames(false), expected);
}

void OrtCapiTest::NamesByIndex() {
    const auto session = Ort::session();
    QCOMPARE(session->inputName(1), std::string("labels"));
    QCOMPARE(session->outputName(0, false), std::string("onnx::loss::21273"));
    QVERIFY(errorOf([&] { session->outputName(1); })
                .contains("Train output name index out of range. Expected in range [0-1). "
                          "Actual: 1"));
    QVERIFY(errorOf([&] {
                session->inputName(7, false);
            }).contains("Eval input name index out of range. Expected in range [0-2)."));
}

void OrtCapiTest::ToBuffer() {
    const auto session = Ort::session();
    QCOMPARE(session->toBuffer(true).numElements(), int64_t{397510});
    QCOMPARE(session->toBuffer(false).numElements(), int64_t{397510});
}

void OrtCapiTest::FromBuffer() {
    const auto session = Ort::session();
    const Tensor buffer = Ort::random({397510});
    session->fromBuffer(buffer);
    QVERIFY(sameBits(session->toBuffer(true), buffer));
    QVERIFY(errorOf([&] {
                session->fromBuffer(Ort::random({7}));
            }).contains("Incorrect buffer size received"));
    QVERIFY(errorOf([&] {
                session->fromBuffer(Ort::random({7}), true);
            }).contains("Parameters buffer size incorrect. Expected: 397510"));
    QVERIFY(errorOf([&] {
                session->fromBuffer(Tensor(DType::Int64, {397510}), true);
            }).contains("found 397510 int64"));
}

/// Cross entropy, mean over the rows, of x w + b; computed directly.
static double crossEntropy(float x, const CheckpointState& state, std::span<const int64_t> labels) {
    const auto w = state.parameter("onnx::gemm.weight::1").data.values<float>();
    const auto b = state.parameter("onnx::gemm.bias::2").data.values<float>();
    std::vector<double> scores(10);
    double sum = 0;
    for (size_t j = 0; j < 10; ++j) {
        scores[j] = b[j];
        for (size_t k = 0; k < 5; ++k) scores[j] += static_cast<double>(x) * w[k * 10 + j];
        sum += std::exp(scores[j]);
    }
    double loss = 0;
    for (const int64_t label : labels) loss += std::log(sum) - scores[static_cast<size_t>(label)];
    return loss / static_cast<double>(labels.size());
}

/// A user's own operators are added to an OpSet, without a library.
void OrtCapiTest::RegisterCustomOps() {
    const auto ops = opsWithCustomOnes();
    const fs::path folder = Ort::api() / "custom_ops";
    Artifacts artifacts =
        loadArtifacts({folder / "training_model.onnx", {}, {}, folder / "checkpoint"}, *ops);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, ops);
    Tensor x(DType::Float32, {3, 5});
    Tensor y(DType::Float32, {3, 5});
    for (size_t i = 0; i < 15; ++i) {
        const float value = 1.1F + static_cast<float>(i) * 1.0285714F;
        x.mutableValues<float>()[i] = value;
        y.mutableValues<float>()[14 - i] = value;
    }
    const std::vector<Tensor> feeds{x, y, Tensor::of<int64_t>({3}, {0, 8, 4})};
    const std::span<const Tensor> outputs = session.trainStep(feeds);
    QCOMPARE(outputs.size(), size_t{1});
    const double expected = crossEntropy(16.6F, *state, feeds[2].values<int64_t>());
    QVERIFY2(std::abs(outputs[0].toDouble() - expected) <= 1e-4 * std::abs(expected),
             qPrintable(QString("%1, expected %2").arg(outputs[0].toDouble()).arg(expected)));
    const QString unknown = errorOf([&] {
        Artifacts same = loadArtifacts(
            {folder / "training_model.onnx", {}, {}, folder / "checkpoint"}, *allOps());
        TrainingSession(std::move(same), state, allOps()).trainStep(feeds);
    });
    QVERIFY2(unknown.contains("CustomOp"), qPrintable(unknown));
}

void OrtCapiTest::LoadModelsAndCreateSession() {
    const auto session =
        Ort::session({Ort::api() / "training_model.onnx", {}, {}, {}}, Ort::state());
    QCOMPARE(session->parametersSize(false), int64_t{397510});
    QVERIFY(errorOf([&] {
                session->exportModelForInferencing(path("no.onnx"), {"output-0"});
            }).contains("Eval model was not provided. Cannot export a model for inferencing."));
    QVERIFY(!fs::exists(path("no.onnx")));
}

void OrtCapiTest::LoadModelsAndCreateSession_ORTFormat() {
    const auto session = Ort::session(Ort::ortPaths());
    QCOMPARE(session->parametersSize(false), int64_t{325});
    QCOMPARE(session->parametersSize(true), int64_t{105});
}

void OrtCapiTest::LoadONNXModelsFromBuffer() {
    const auto session = sessionFromMemory(Ort::paths());
    QCOMPARE(session->trainStep(Ort::recordedFeeds())[0].toDouble(),
             Ort::session()->trainStep(Ort::recordedFeeds())[0].toDouble());
}

/// The loss is exported: its labels remain an input.
void OrtCapiTest::LoadONNXModelsFromBufferThenExport() {
    const auto session = sessionFromMemory(Ort::paths());
    session->exportModelForInferencing(path("model.onnx"), {"onnx::loss::21273"});
    const std::unique_ptr<Graph> model = loadModel(path("model.onnx"));
    QCOMPARE(namesOf(model->inputs()), (std::vector<std::string>{"input-0", "labels"}));
    QCOMPARE(model->initializers().size(), size_t{4});
}

void OrtCapiTest::LoadORTFormatModelsFromBuffer() {
    const auto session = sessionFromMemory(Ort::ortPaths());
    QCOMPARE(session->inputNames(), (std::vector<std::string>{"input", "labels"}));
}

void OrtCapiTest::LoadModelsFromBufferThrows() {
    const QString message = "Training Session Creation failed. Train model data cannot be NULL.";
    QVERIFY(errorOf([] { parseArtifacts({}, *allOps()); }).contains(message));
    QVERIFY(errorOf([] {
                TrainingSession(Artifacts{}, std::make_shared<CheckpointState>(), allOps());
            }).contains(message));
}

void OrtCapiTest::GetParameter() {
    const auto session = Ort::session();
    const Tensor copy = session->state().parameterData("fc1.weight");
    QCOMPARE(copy.shape(), (Shape{500, 784}));
    QVERIFY(copy.dtype() == DType::Float32);
    QVERIFY(copy.data() != session->state().parameter("fc1.weight").data.data());
}

void OrtCapiTest::UpdateParameter() {
    const auto session = Ort::session();
    CheckpointState& state = session->state();
    const Tensor before = state.parameterData("fc1.weight");
    const Tensor other = Ort::random({500, 784});
    state.setParameter("fc1.weight", other);
    QVERIFY(sameBits(state.parameterData("fc1.weight"), other));
    QVERIFY(!sameBits(state.parameterData("fc1.weight"), before));
    state.setParameter("fc1.weight", before);
    QVERIFY(sameBits(state.parameterData("fc1.weight"), before));
    QVERIFY(errorOf([&] {
                state.setParameter("fc1.weight", Ort::random({784, 500}));
            }).contains("float32[500, 784]; found float32[784, 500]"));
    QVERIFY(errorOf([&] {
                state.setParameter("fc1.weight", Tensor(DType::Int64, {500, 784}));
            }).contains("found int64[500, 784]"));
}

void OrtCapiTest::UnknownAndNominalParametersAreRefused() {
    CheckpointState full = CheckpointState::load(Ort::api() / "checkpoint.ckpt");
    QVERIFY(errorOf([&] { full.parameterData("fc9"); }).contains("Parameter fc9 not found."));
    QVERIFY(errorOf([&] { full.setParameter("fc9", {}); }).contains("Parameter fc9 not found."));
    CheckpointState nominal = CheckpointState::load(Ort::api() / "nominal_checkpoint");
    QVERIFY(errorOf([&] {
                nominal.parameterData("fc1.bias");
            }).contains("Please load the parameter states first"));
    QVERIFY(errorOf([&] {
                nominal.setParameter("fc1.bias", Ort::random({500}));
            }).contains("Please load all the parameter states first"));
}

void OrtCapiTest::DevicesOtherThanTheCpuAreRefused() {
    const auto open = [](const std::string& device) {
        Artifacts artifacts = loadArtifacts(Ort::paths(), *allOps());
        auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        TrainingSession(std::move(artifacts), state, allOps(), {.device = device});
    };
    QCOMPARE(errorOf([&] { open("cpu:0"); }), QString());
    QVERIFY(errorOf([&] { open("cuda:1"); }).contains("Device 'cuda:1' is not available."));
}

void OrtCapiTest::ModuleAndOptimizerWithNominalState() {
    const auto complete = Ort::session();
    const auto nominal = Ort::session(Ort::paths("nominal_checkpoint"));
    QCOMPARE(nominal->parametersSize(false), int64_t{397510});
    const QString needed = "Please load the model parameters first.";
    const std::vector<Tensor> feeds = Ort::randomFeeds({0, 8});
    QVERIFY(errorOf([&] { nominal->trainStep(feeds); }).contains(needed));
    QVERIFY(errorOf([&] { nominal->evalStep(feeds); }).contains(needed));
    QVERIFY(errorOf([&] { nominal->optimizerStep(); }).contains(needed));
    QVERIFY(errorOf([&] { nominal->toBuffer(true); }).contains(needed));
    QVERIFY(errorOf([&] {
                nominal->inferenceModel({"output-0"});
            }).contains("Please load the model parameters first"));
    QVERIFY(errorOf([&] {
                nominal->fromBuffer(complete->toBuffer(true), true);
            }).contains("all parameters need to be loaded"));
    nominal->fromBuffer(complete->toBuffer(false), false);
    QVERIFY(!nominal->state().isNominal());
    for (uint32_t i = 0; i < 4; ++i) {
        const std::vector<Tensor> batch = Ort::randomFeeds({0, 8}, i);
        const Tensor expected = complete->trainStep(batch)[0].clone();
        QVERIFY(sameBits(nominal->trainStep(batch)[0], expected));
        for (const auto* session : {&complete, &nominal}) {
            (*session)->optimizerStep();
            (*session)->lazyResetGrad();
        }
        QVERIFY(sameBits(nominal->toBuffer(false), complete->toBuffer(false)));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OrtCapiTest)
#include "ort_capi_test.moc"
