// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/onnx/checkpoint_folder.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/cpu/compute_pool.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/session/inference_model.h"
#include "engine/training/session/module.h"
#include "engine/training/session/optimizer.h"
#include "tests/engine/training/ort_api_fixture.h"

namespace temper::test {

namespace fs = std::filesystem;
using Ort = OrtApiFixture;

/// The cases of ONNX Runtime's training_api_tests.cc and checkpoint_test.cc, under their names.
/// Source: spec/orttests.md sections 3 and 4.
class OrtTrainingApiTest : public QObject {
    Q_OBJECT

private slots:
    void ModuleParametersSize();
    void ModuleCopyBufferToParameters();
    void ModuleTrainStep();
    void ModuleModes();
    void OptimizerCreatedWithOptimizerCheckpointState();
    void LinearLRScheduler_data();
    void LinearLRScheduler();
    void ModuleExportModelForInferencingCPU();
    void ModuleExportModelForInferencingCPU_WithExternalData();
    void OptimStep();
    void MomentsThatTheCheckpointLacksAreZero();
    void OptimizerModelsOfAnotherShapeAreRefused();
    void ModuleAndOptimizerWithNominalState();
    void LoadCheckpointToModel();
    void SaveOptimizerStateAsCheckpoint_ThenLoad();
    void SaveCustomPropertyAsCheckpoint_ThenLoad_CPU();
    void LoadAndSaveNominalCheckpoint();
    void SaveOnnxModelAsCheckpoint_ThenLoad_WithExternalData();
    void FoldersOfOlderVersionsLoadAndSave();

private:
    /// A module, its state and, if requested, an optimizer.
    struct Parts {
        std::shared_ptr<CheckpointState> state;
        std::unique_ptr<Module> module;
        std::unique_ptr<Optimizer> optimizer;
    };
    static Parts parts(const std::string& checkpoint = "checkpoint.ckpt") {
        const Artifacts artifacts = loadArtifacts(Ort::paths(checkpoint), *allOps());
        Parts made;
        made.state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        const ExecutionContext context = ExecutionContext::make(allOps(), 1);
        made.module = std::make_unique<Module>(artifacts.trainingModel, artifacts.evalModel,
                                               *made.state, context);
        made.optimizer = std::make_unique<Optimizer>(artifacts.optimizerModel, *made.module);
        return made;
    }
    fs::path path(const char* name) const { return dir_.filePath(name).toStdString(); }
    QTemporaryDir dir_;
};

static bool isZero(const Tensor& tensor) {
    return std::ranges::all_of(tensor.values<float>(), [](float v) { return v == 0; });
}

void OrtTrainingApiTest::ModuleParametersSize() {
    const Parts made = parts();
    int64_t sum = 0;
    for (const Parameter& parameter : made.state->parameters()) sum += parameter.data.numElements();
    QCOMPARE(sum, int64_t{397510});
    QCOMPARE(made.module->parametersSize(false), sum);
}

void OrtTrainingApiTest::ModuleCopyBufferToParameters() {
    const Parts made = parts();
    const Tensor buffer = Ort::random({397510});
    made.module->fromBuffer(buffer, true);
    QVERIFY(sameBits(made.module->toBuffer(true), buffer));
    // C order, no padding, in the order of the training graph's inputs
    const std::vector<std::string> order{"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"};
    QCOMPARE(made.module->parameters(), order);
    const float* next = buffer.values<float>().data();
    for (const std::string& name : order) {
        const auto values = made.state->parameter(name).data.values<float>();
        QVERIFY(std::equal(values.begin(), values.end(), next));
        next += values.size();
    }
}

void OrtTrainingApiTest::ModuleTrainStep() {
    const Parts made = parts();
    const std::vector<Tensor> feeds = Ort::randomFeeds({1, 1});
    QCOMPARE(made.module->outputNames(true).size(), size_t{1});
    const Tensor& gradient = made.state->parameter("fc2.weight").gradient;
    made.module->trainStep(feeds);
    const Tensor single = gradient.clone();
    for (int step = 2; step <= 4; ++step) {
        made.module->trainStep(feeds);
        const auto sum = gradient.values<float>();
        const auto once = single.values<float>();
        for (size_t i = 0; i < sum.size(); ++i) {
            QCOMPARE(sum[i], static_cast<float>(step) * once[i]);
        }
    }
    made.module->lazyResetGrad();
    made.module->trainStep(feeds);
    QVERIFY(sameBits(gradient, single));
}

/// Python's train() and eval(): which step a call runs.
void OrtTrainingApiTest::ModuleModes() {
    const Parts made = parts();
    Module& module = *made.module;
    const std::vector<Tensor> feeds = Ort::recordedFeeds();
    QVERIFY(module.isTraining());
    module.eval();
    QCOMPARE(module.inputNames().size(), size_t{2});
    const float loss = Ort::recordedLoss("loss_1.out");
    QVERIFY(std::abs(module(feeds)[0].toDouble() - static_cast<double>(loss)) < 1e-6);
    QVERIFY(isZero(made.state->parameter("fc2.weight").gradient));
    module.train();
    module(feeds);
    QVERIFY(!isZero(made.state->parameter("fc2.weight").gradient));
    module.train(false);
    QVERIFY(!module.isTraining());
}

void OrtTrainingApiTest::OptimizerCreatedWithOptimizerCheckpointState() {
    CheckpointFile file = readCheckpoint(Ort::api() / "checkpoint.ckpt");
    OptimizerGroupState group{"group0", 7, 0.25F, {}};
    for (const NamedTensor& parameter : file.trainable) {
        group.parameters.push_back({parameter.name,
                                    {{"momentum0", Ort::random(parameter.data.shape(), 1)},
                                     {"momentum1", Ort::random(parameter.data.shape(), 2)}}});
    }
    file.optimizerGroups = {group};
    Artifacts artifacts = loadArtifacts(Ort::paths(), *allOps());
    const auto state = std::make_shared<CheckpointState>(file);
    const TrainingSession session(std::move(artifacts), state, allOps());
    QCOMPARE(state->optimizerState().step, int64_t{7});
    QCOMPARE(state->optimizerState().initialLearningRate, 0.25F);
    QVERIFY(sameBits(state->optimizerState().moments["fc2.weight"]["momentum1"],
                     Ort::random({10, 500}, 2)));
}

void OrtTrainingApiTest::LinearLRScheduler_data() {
    QTest::addColumn<int>("warmup");
    QTest::addColumn<bool>("resumes");
    const auto row = [](const char* name, int warmup) {
        QTest::addRow("LinearLRScheduler_%s_Test", name) << warmup << false;
        QTest::addRow("LinearLRScheduler_%s_ResumeFromCheckpoint_Test", name) << warmup << true;
    };
    row("NoWarmUp", 0);
    row("WarmUp30Step", 30);
    row("WarmUp70Step", 70);
    row("WarmUp200Step", 200);
}

void OrtTrainingApiTest::LinearLRScheduler() {
    QFETCH(int, warmup);
    QFETCH(bool, resumes);
    const QString name = QString("ort/lr_scheduler/warmup_linear_scheduler_warmupstep-%1%2.json")
                             .arg(warmup)
                             .arg(resumes ? "_restored" : "");
    const QByteArray text =
        QByteArray::fromStdString(readFile(conformanceFolder() / name.toStdString()));
    const auto session = Ort::session();
    if (resumes) session->state().optimizerState().step = 51;
    session->registerLinearLrSchedule(warmup, 100, 1e-3F);
    const QJsonArray steps = QJsonDocument::fromJson(text).array();
    QCOMPARE(steps.size(), resumes ? 49 : 100);
    const std::vector<Tensor> feeds = Ort::recordedFeeds();
    for (const QJsonValue& entry : steps) {
        session->schedulerStep();
        const double expected = entry.toArray()[1].toArray()[0].toDouble();
        const double found = static_cast<double>(session->learningRate());
        QCOMPARE(session->state().optimizerState().step, int64_t{entry.toArray()[0].toInt()});
        QVERIFY(std::abs(found - expected) <= 1e-5 &&
                std::abs(found - expected) <= 1e-4 * expected);
        session->trainStep(feeds);
        session->optimizerStep();
    }
}

void OrtTrainingApiTest::ModuleExportModelForInferencingCPU() {
    const Parts made = parts();
    const auto eval = loadModel(Ort::api() / "eval_model.onnx");
    QCOMPARE(eval->inputs().size(), size_t{6});
    made.module->exportModelForInferencing(path("inference.onnx"), {"output-0"});
    std::shared_ptr<Graph> model = loadModel(path("inference.onnx"));
    QCOMPARE(namesOf(model->inputs()), std::vector<std::string>{"input-0"});
    for (const Node* node : model->nodes()) QVERIFY(node->opType() != "SoftmaxCrossEntropyLoss");
    const std::shared_ptr<ThreadPool> pool = makeComputePool(1);
    GraphRunner runner(model, allOps()->catalog, allOps()->cpuKernels, std::make_shared<Arena>(),
                       *pool);
    const std::vector<Tensor> input{Ort::random({2, 784})};
    const std::span<const Tensor> outputs = runner.run(input);
    QCOMPARE(outputs.size(), size_t{1});
    QCOMPARE(outputs[0].shape(), (Shape{2, 10}));
    QVERIFY(errorOf([&] {
                made.module->inferenceModel({"no such value"});
            }).contains("could not be found"));
    QVERIFY(!errorOf([&] { made.module->inferenceModel({}); }).isEmpty());
}

void OrtTrainingApiTest::ModuleExportModelForInferencingCPU_WithExternalData() {
    const Parts made = parts();
    made.state->setHasExternalData(true);
    made.module->exportModelForInferencing(path("external.onnx"), {"output-0"});
    const auto size = fs::file_size(path("external.onnx"));
    QVERIFY2(size >= 500 && size <= 2000, qPrintable(QString::number(size)));
    QVERIFY(fs::file_size(path("external.onnx.data")) > 1'500'000);
    const auto model = loadModel(path("external.onnx"));
    QVERIFY(
        sameBits(model->at("fc1.weight")->constant(), made.state->parameter("fc1.weight").data));
}

void OrtTrainingApiTest::OptimStep() {
    const Parts made = parts();
    const std::vector<Tensor> feeds = Ort::randomFeeds({1, 1});
    const Parameter& parameter = made.state->parameter("fc2.weight");
    Tensor& moment = made.state->optimizerState().moments["fc2.weight"]["momentum0"];
    QVERIFY(isZero(moment));
    for (int step = 0; step < 4; ++step) {
        const Tensor before = parameter.data.clone();
        made.module->trainStep(feeds);
        made.optimizer->step();
        const auto gradient = parameter.gradient.values<float>();
        for (size_t i = 0; i < gradient.size(); ++i) {
            if (gradient[i] == 0) continue;
            QVERIFY(moment.values<float>()[i] != 0);
            QVERIFY(parameter.data.values<float>()[i] != before.values<float>()[i]);
        }
    }
    QCOMPARE(made.state->optimizerState().step, int64_t{4});
}

/// ONNX Runtime refuses such a state. Here, a parameter that was frozen may train from then on.
void OrtTrainingApiTest::MomentsThatTheCheckpointLacksAreZero() {
    CheckpointFile file = readCheckpoint(Ort::api() / "checkpoint.ckpt");
    const Tensor kept = Ort::random({10});
    file.optimizerGroups = {{"group0", 3, 0.1F, {{"fc2.bias", {{"momentum0", kept}}}}}};
    const auto state = std::make_shared<CheckpointState>(file);
    const TrainingSession session(loadArtifacts(Ort::paths(), *allOps()), state, allOps());
    auto& moments = state->optimizerState().moments;
    QVERIFY(sameBits(moments["fc2.bias"]["momentum0"], kept));
    QVERIFY(isZero(moments["fc2.bias"]["momentum1"]));
    QVERIFY(isZero(moments["fc1.weight"]["momentum0"]));
    file.optimizerGroups[0].parameters[0].moments[0].data = Ort::random({11});
    const auto wrong = std::make_shared<CheckpointState>(file);
    QVERIFY(errorOf([&] {
                TrainingSession(loadArtifacts(Ort::paths(), *allOps()), wrong, allOps());
            }).contains("'momentum0' of parameter 'fc2.bias' has the shape [11]"));
}

void OrtTrainingApiTest::OptimizerModelsOfAnotherShapeAreRefused() {
    const Parts made = parts();
    const std::shared_ptr<Graph> model = loadModel(Ort::api() / "adamw.onnx");
    std::vector<Value*> inputs = model->inputs();
    std::swap(inputs[0], inputs[1]);
    model->setInputs(inputs);
    QVERIFY(errorOf([&] { Optimizer(model, *made.module); })
                .contains("Invalid graph inputs of the optimizer model: expected [learning_rate, "
                          "step, params"));
    QVERIFY(errorOf([&] {
                Optimizer(loadModel(Ort::api() / "eval_model.onnx"), *made.module);
            }).contains("has 0 optimizer nodes"));
}

/// The optimizer was made before the state had parameters.
void OrtTrainingApiTest::ModuleAndOptimizerWithNominalState() {
    const Parts complete = parts();
    const Parts nominal = parts("nominal_checkpoint");
    QVERIFY(errorOf([&] {
                nominal.optimizer->step();
            }).contains("Please load the model parameters first."));
    nominal.module->fromBuffer(complete.module->toBuffer(false), false);
    for (uint32_t i = 0; i < 4; ++i) {
        const std::vector<Tensor> feeds = Ort::randomFeeds({1, 1}, i);
        for (const Parts* made : {&complete, &nominal}) {
            made->module->trainStep(feeds);
            made->optimizer->step();
            made->module->lazyResetGrad();
        }
        for (const Parameter& expected : complete.state->parameters()) {
            const Parameter& found = nominal.state->parameter(expected.name);
            QVERIFY(sameBits(found.data, expected.data));
            QVERIFY(sameBits(found.gradient, expected.gradient));
            for (auto& [name, moment] : complete.state->optimizerState().moments[expected.name]) {
                QVERIFY(
                    sameBits(nominal.state->optimizerState().moments[expected.name][name], moment));
            }
        }
    }
}

void OrtTrainingApiTest::LoadCheckpointToModel() {
    const auto model = loadModel(Ort::api() / "zero_model.onnx");
    const CheckpointState state = CheckpointState::load(Ort::api() / "checkpoint.ckpt");
    QVERIFY(isZero(model->at("fc1.weight")->constant()));
    QCOMPARE(copyParametersToModel(state, *model), size_t{4});
    for (const Value* initializer : model->initializers()) {
        const auto values = initializer->constant().values<float>();
        QVERIFY(std::ranges::none_of(values, [](float v) { return v == 0; }));
    }
    const CheckpointState nominal = CheckpointState::load(Ort::api() / "nominal_checkpoint");
    QVERIFY(errorOf([&] { copyParametersToModel(nominal, *model); }).contains("nominal"));
}

void OrtTrainingApiTest::SaveOptimizerStateAsCheckpoint_ThenLoad() {
    const Parts made = parts();
    made.state->save(path("optimizer.ckpt"), true);
    const CheckpointFile file = readCheckpoint(path("optimizer.ckpt"));
    QCOMPARE(file.optimizerGroups.size(), size_t{1});
    QCOMPARE(file.optimizerGroups[0].name, std::string("group0"));
    QCOMPARE(file.optimizerGroups[0].parameters.size(), size_t{4});
    for (const ParameterState& state : file.optimizerGroups[0].parameters) {
        QCOMPARE(state.moments.size(), size_t{2});
        for (size_t i = 0; i < 2; ++i) {
            QCOMPARE(state.moments[i].name, "momentum" + std::to_string(i));
            QCOMPARE(state.moments[i].data.shape(),
                     made.state->parameter(state.parameter).data.shape());
            QVERIFY(isZero(state.moments[i].data));
        }
    }
}

void OrtTrainingApiTest::SaveCustomPropertyAsCheckpoint_ThenLoad_CPU() {
    CheckpointState state;
    state.setProperty("f", 0.5F);
    state.setProperty("i", int64_t{400});
    state.setProperty("s", std::string("/path/to/it"));
    state.save(path("properties.ckpt"));
    const CheckpointState again = CheckpointState::load(path("properties.ckpt"));
    QCOMPARE(again.properties().size(), size_t{3});
    QVERIFY(again.properties() == state.properties());
}

void OrtTrainingApiTest::LoadAndSaveNominalCheckpoint() {
    const CheckpointState state = CheckpointState::load(Ort::api() / "nominal_checkpoint");
    QVERIFY(state.isNominal());
    state.save(path("nominal.ckpt"));
    const CheckpointState again = CheckpointState::load(path("nominal.ckpt"));
    QVERIFY(again.isNominal());
    QCOMPARE(again.parameters().size(), size_t{4});
    for (const Parameter& parameter : again.parameters()) {
        QCOMPARE(parameter.data.numElements(), int64_t{1});
    }
}

void OrtTrainingApiTest::SaveOnnxModelAsCheckpoint_ThenLoad_WithExternalData() {
    const CheckpointFile file = readCheckpoint(Ort::api() / "checkpoint.ckpt");
    writeCheckpoint(file, path("external.ckpt"), {.externalDataThreshold = 0});
    QVERIFY(fs::file_size(path("external.ckpt")) < 1000);
    QVERIFY(fs::file_size(path("external.ckpt.data")) > 200'000);
    const CheckpointState state = CheckpointState::load(path("external.ckpt"));
    QVERIFY(state.hasExternalData());
    for (const NamedTensor& tensor : file.trainable) {
        QVERIFY(sameBits(state.parameter(tensor.name).data, tensor.data));
    }
    state.save(path("again.ckpt"));
    QVERIFY(fs::file_size(path("again.ckpt.data")) >= fs::file_size(path("external.ckpt.data")));
    QVERIFY(CheckpointState::load(path("again.ckpt")).hasExternalData());
}

void OrtTrainingApiTest::FoldersOfOlderVersionsLoadAndSave() {
    const fs::path folder = conformanceFolder() / "ort/legacy_checkpoint/mobilenetv2.ckpt";
    QVERIFY(isCheckpointFolder(folder));
    const CheckpointState state = CheckpointState::load(folder);
    QCOMPARE(state.parameters().size(), size_t{2});
    QCOMPARE(state.parameter("classifier.1.weight").data.shape(), (Shape{4, 1280}));
    QVERIFY(state.parameter("classifier.1.weight").requiresGrad);
    state.save(path("from-folder.ckpt"));
    const CheckpointState again = CheckpointState::load(path("from-folder.ckpt"));
    for (const Parameter& parameter : state.parameters()) {
        QVERIFY(sameBits(again.parameter(parameter.name).data, parameter.data));
    }
    const fs::path damaged = path("damaged");
    fs::create_directory(damaged);
    std::string bytes = readFile(folder / "paramtrain_tensors.pbseq");
    for (const size_t size : {size_t{0}, size_t{1}, size_t{3}, size_t{100}, bytes.size() - 1}) {
        writeFileAtomically(damaged / "paramtrain_tensors.pbseq", bytes.substr(0, size));
        QVERIFY(errorOf([&] { loadCheckpoint(damaged); }).contains("paramtrain_tensors.pbseq"));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OrtTrainingApiTest)
#include "ort_training_api_test.moc"
