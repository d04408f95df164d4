// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/core/string_tensor.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/engine/training/custom_ops.h"
#include "tests/engine/training/ort_api_fixture.h"

namespace temper::test {

namespace fs = std::filesystem;

/// The cases of ONNX Runtime's orttraining_test_ort_apis_py_bindings.py, under their names, with
/// our own artifacts of a perceptron that PyTorch exported and trained; and cases that its tests
/// leave out.
class OrtPythonTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void test_train_step();
    void test_eval_step();
    void test_optimizer_step_data() { optimizers(); }
    void test_optimizer_step();
    void test_get_and_set_lr_data() { optimizers(); }
    void test_get_and_set_lr();
    void test_scheduler_step_data() { optimizers(); }
    void test_scheduler_step();
    void test_training_module_checkpoint();
    void test_copy_buffer_to_parameters_data();
    void test_copy_buffer_to_parameters();
    void test_export_model_for_inferencing();
    void test_add_get_property();
    void test_get_input_output_names();
    void test_get_and_set_parameter_values();
    void test_train_with_nominal_checkpoint();
    void test_ort_custom_ops();
    void test_string_inputs();
    void test_save_ort_format();
    void test_save_nominal_checkpoint();

    void theRunningStatisticsOfATrainingStepAreSaved();
    void lazyResetThenOptimizerStepUsesTheOldGradients();
    void theRateOfACheckpointOfOnnxRuntimeIsTheDefault();
    void evalParametersMayBeInAnotherOrder();
    void modelsWithUnknownAndRepeatedImportsLoad();
    void artifactsWithoutLossOrOptimizer();

private:
    static void optimizers() {
        QTest::addColumn<QString>("optimizer");
        QTest::newRow("AdamW") << "adamw";
        QTest::newRow("SGD") << "sgd";
    }
    Artifacts artifacts(const QString& optimizer = "adamw", bool freezeFirst = false) const {
        ArtifactSpec spec = fixture_->spec(optimizer.toStdString());
        if (freezeFirst) spec.frozen = {"0.*"};
        return generateArtifacts(*fixture_->model, *allOps(), spec);
    }
    static std::unique_ptr<TrainingSession> session(Artifacts made) {
        auto state = std::make_shared<CheckpointState>(made.checkpoint);
        return std::make_unique<TrainingSession>(std::move(made), state, allOps());
    }
    std::vector<Tensor> feeds(TrainingSession& session) const {
        return feedsOf(session, fixture_->data, 0);
    }

    std::unique_ptr<TorchFixture> fixture_;
};

void OrtPythonTest::initTestCase() { fixture_ = std::make_unique<TorchFixture>("mlp"); }

void OrtPythonTest::test_train_step() {
    const auto run = session(artifacts());
    const double golden =
        fixture_->golden.at("loss/adamw").cast(DType::Float64).values<double>().front();
    const double loss = run->trainStep(feeds(*run))[0].toDouble();
    QVERIFY(std::abs(loss - golden) <= 1e-8 + 1e-5 * golden);
}

void OrtPythonTest::test_eval_step() {
    const auto run = session(artifacts());
    const double trained = run->trainStep(feeds(*run))[0].toDouble();
    QCOMPARE(run->evalStep(feeds(*run))[0].toDouble(), trained);
}

void OrtPythonTest::test_optimizer_step() {
    QFETCH(QString, optimizer);
    const auto run = session(artifacts(optimizer));
    const Tensor before = run->toBuffer(true);
    run->trainStep(feeds(*run));
    run->optimizerStep();
    QVERIFY(!sameBits(run->toBuffer(true), before));
}

void OrtPythonTest::test_get_and_set_lr() {
    QFETCH(QString, optimizer);
    const auto run = session(artifacts(optimizer));
    QCOMPARE(run->learningRate(), 0.001F);
    run->setLearningRate(0.5F);
    QCOMPARE(run->learningRate(), 0.5F);
}

/// With the schedule's arguments in the correct order: 0.2 after the warm-up of one step.
void OrtPythonTest::test_scheduler_step() {
    QFETCH(QString, optimizer);
    const auto run = session(artifacts(optimizer));
    run->registerLinearLrSchedule(1, 2, 0.2F);
    run->schedulerStep();
    QCOMPARE(run->learningRate(), 0.0F);
    run->trainStep(feeds(*run));
    run->optimizerStep();
    run->schedulerStep();
    QCOMPARE(run->learningRate(), 0.2F);
}

void OrtPythonTest::test_training_module_checkpoint() {
    const auto run = session(artifacts());
    run->trainStep(feeds(*run));
    run->optimizerStep();
    const QTemporaryDir dir;
    const std::string path = dir.filePath("saved").toStdString();
    run->state().save(path);
    Artifacts made = artifacts();
    made.checkpoint = readCheckpoint(path);
    QVERIFY(sameBits(session(std::move(made))->toBuffer(false), run->toBuffer(false)));
}

void OrtPythonTest::test_copy_buffer_to_parameters_data() {
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<bool>("trainableOnly");
    for (const char* optimizer : {"adamw", "sgd"}) {
        QTest::addRow("%s, trainable only", optimizer) << optimizer << true;
        QTest::addRow("%s, all", optimizer) << optimizer << false;
    }
}

void OrtPythonTest::test_copy_buffer_to_parameters() {
    QFETCH(QString, optimizer);
    QFETCH(bool, trainableOnly);
    const auto run = session(artifacts(optimizer, true));
    QVERIFY(run->parametersSize(true) < run->parametersSize(false));
    const Tensor before = run->toBuffer(trainableOnly);
    run->trainStep(feeds(*run));
    run->optimizerStep();
    QVERIFY(!sameBits(run->toBuffer(trainableOnly), before));
    run->fromBuffer(before, trainableOnly);
    QVERIFY(sameBits(run->toBuffer(trainableOnly), before));
}

void OrtPythonTest::test_export_model_for_inferencing() {
    const QTemporaryDir dir;
    const std::string path = dir.filePath("m.onnx").toStdString();
    session(artifacts())->exportModelForInferencing(path, {"output"});
    QCOMPARE(namesOf(loadModel(path)->outputs()), std::vector<std::string>{"output"});
}

/// A list is not a property: PropertyValue has no such type.
void OrtPythonTest::test_add_get_property() {
    CheckpointState state;
    for (const PropertyValue& value :
         {PropertyValue(int64_t{1000}), PropertyValue(0.1F), PropertyValue(std::string("text"))}) {
        state.setProperty("p", value);
        QVERIFY(state.property("p") == value);
    }
    static_assert(!std::is_constructible_v<PropertyValue, std::vector<int64_t>>);
}

void OrtPythonTest::test_get_input_output_names() {
    const Artifacts made = artifacts();
    const std::vector<std::string> inputs = namesOf(made.trainingModel->inputs());
    const std::string loss = made.trainingModel->outputs().front()->name();
    const auto run = session(made);
    QCOMPARE(run->inputNames(), std::vector<std::string>(inputs.begin(), inputs.begin() + 2));
    QCOMPARE(run->outputNames(), std::vector<std::string>{loss});
}

void OrtPythonTest::test_get_and_set_parameter_values() {
    const auto run = session(artifacts("adamw", true));
    CheckpointState& state = run->state();
    QCOMPARE(state.parameters().size(), size_t{6});
    QVERIFY(state.hasParameter("2.weight") && !state.hasParameter("9.weight"));
    const Parameter& frozen = state.parameter("0.weight");
    QVERIFY(!frozen.requiresGrad && frozen.gradient.empty());
    QCOMPARE(describe(frozen), std::string("Parameter(name=0.weight, requires_grad=False)"));
    const Parameter& trainable = state.parameter("2.weight");
    QVERIFY(trainable.requiresGrad);
    const auto isZero = [&] {
        return std::ranges::all_of(trainable.gradient.values<float>(),
                                   [](float value) { return value == 0; });
    };
    QVERIFY(isZero());
    run->trainStep(feeds(*run));
    QVERIFY(!isZero());
    const Tensor before = state.parameterData("2.weight");
    QVERIFY(sameBits(before, fixture_->model->at("2.weight")->constant()));
    Tensor ones(DType::Float32, before.shape());
    std::ranges::fill(ones.mutableValues<float>(), 1.0F);
    state.setParameter("2.weight", ones);
    QVERIFY(sameBits(state.parameterData("2.weight"), ones));
    state.setParameter("2.weight", before);
    QVERIFY(sameBits(state.parameterData("2.weight"), before));
}

void OrtPythonTest::test_train_with_nominal_checkpoint() {
    const QTemporaryDir dir;
    ArtifactSpec spec = fixture_->spec("adamw");
    spec.nominalCheckpoint = true;
    saveArtifacts(artifacts(), dir.path().toStdString(), spec);
    const auto full = session(artifacts());
    Artifacts made = artifacts();
    made.checkpoint = readCheckpoint(dir.filePath("nominal_checkpoint").toStdString());
    const auto nominal = session(std::move(made));
    nominal->fromBuffer(full->toBuffer(false));
    const double loss = full->trainStep(feeds(*full))[0].toDouble();
    QCOMPARE(nominal->trainStep(feeds(*nominal))[0].toDouble(), loss);
    full->optimizerStep();
    nominal->optimizerStep();
    QVERIFY(sameBits(nominal->toBuffer(false), full->toBuffer(false)));
}

/// A user's own operator before all that trains.
void OrtPythonTest::test_ort_custom_ops() {
    const auto ops = opsWithCustomOnes();
    const auto model = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17, "test.customop" : 1]>
        g (float[N, 2] p, float[N, 2] q) => (float[N, 3] y)
            <float[2, 3] w = {1, 2, 3, 4, 5, 6}, float[3] b = {0, 0, 0}> {
            s = test.customop.CustomOpOne(p, q)
            y = Gemm(s, w, b)
        })");
    inferTypes(*model, ops->catalog);
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    Artifacts made = generateArtifacts(*model, *ops, spec);
    const auto state = std::make_shared<CheckpointState>(made.checkpoint);
    TrainingSession run(std::move(made), state, ops);
    const std::vector<Tensor> inputs{Tensor::of<float>({1, 2}, {1, -1}),
                                     Tensor::of<float>({1, 2}, {1, 2}),
                                     Tensor::of<float>({1, 3}, {0, 0, 0})};
    // s = [2, 1], y = [6, 9, 12]
    QCOMPARE(run.trainStep(inputs)[0].toDouble(), (36.0 + 81.0 + 144.0) / 3.0);
    const auto gradient = state->parameter("b").gradient.values<float>();
    QCOMPARE(std::vector<float>(gradient.begin(), gradient.end()), (std::vector<float>{4, 6, 8}));
}

void OrtPythonTest::test_string_inputs() {
    const auto model = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        g (string[1, 4] x) => (float[1, 2] y)
            <float[2, 4] w = {1, 2, 3, 4, 5, 6, 7, 8}, float[2] b = {0.5, -0.5}> {
            n = Cast<to = 1>(x)
            y = Gemm<transB = 1>(n, w, b)
        })");
    inferTypes(*model, allOps()->catalog);
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    const auto run = session(generateArtifacts(*model, *allOps(), spec));
    const std::vector<std::string> texts{"1", "0", "-1", "0.5"};
    const std::vector<Tensor> inputs{stringTensor({1, 4}, std::span<const std::string>(texts)),
                                     Tensor::of<float>({1, 2}, {0, 0})};
    // y = [1 - 3 + 2 + 0.5, 5 - 7 + 4 - 0.5] = [0.5, 1.5]
    QCOMPARE(run->trainStep(inputs)[0].toDouble(), (0.25 + 2.25) / 2);
    QCOMPARE(run->evalStep(inputs)[0].toDouble(), (0.25 + 2.25) / 2);
    // of w[0]: y[0] * x
    const auto gradient = run->state().parameter("w").gradient.values<float>();
    QCOMPARE(std::vector<float>(gradient.begin(), gradient.begin() + 4),
             (std::vector<float>{0.5F, 0, -0.5F, 0.25F}));
}

void OrtPythonTest::test_save_ort_format() {
    const QTemporaryDir dir;
    ArtifactSpec spec = fixture_->spec("adamw");
    spec.ortFormat = true;
    saveArtifacts(artifacts(), dir.path().toStdString(), spec);
    const int64_t opset = fixture_->model->info().onnxOpset();
    for (const char* name : {"training_model", "eval_model", "optimizer_model"}) {
        for (const char* extension : {".onnx", ".ort"}) {
            const fs::path path = dir.filePath(QString(name) + extension).toStdString();
            QVERIFY2(fs::exists(path), path.c_str());
            QCOMPARE(loadModel(path)->info().onnxOpset(), opset);
        }
        const QString config = dir.filePath(QString(name) + ".required_operators.config");
        QVERIFY(readFile(config.toStdString()).find(";1;") != std::string::npos ||
                QString(name) == "eval_model");
    }
}

void OrtPythonTest::test_save_nominal_checkpoint() {
    const QTemporaryDir dir;
    ArtifactSpec spec = fixture_->spec("adamw");
    spec.nominalCheckpoint = true;
    const ArtifactPaths paths = saveArtifacts(artifacts(), dir.path().toStdString(), spec);
    const fs::path nominal = dir.filePath("nominal_checkpoint").toStdString();
    QVERIFY(fs::file_size(nominal) < fs::file_size(paths.checkpoint));
}

void OrtPythonTest::theRunningStatisticsOfATrainingStepAreSaved() {
    const TorchFixture resnet("resnet");
    const auto run = session(generateArtifacts(*resnet.model, *allOps(), resnet.spec("adamw")));
    const auto statistic = std::ranges::find_if(
        run->state().parameters(),
        [](const Parameter& parameter) { return parameter.name.ends_with("running_mean"); });
    QVERIFY(statistic != run->state().parameters().end());
    const Tensor before = statistic->data.clone();
    run->trainStep(feedsOf(*run, resnet.data, 0));
    const QTemporaryDir dir;
    run->state().save(dir.filePath("saved").toStdString());
    const CheckpointState saved = CheckpointState::load(dir.filePath("saved").toStdString());
    QVERIFY(!sameBits(saved.parameter(statistic->name).data, before));
    QVERIFY(sameBits(saved.parameter(statistic->name).data, statistic->data));
}

void OrtPythonTest::lazyResetThenOptimizerStepUsesTheOldGradients() {
    const auto plain = session(artifacts("sgd"));
    const auto reset = session(artifacts("sgd"));
    for (const auto* run : {&plain, &reset}) (*run)->trainStep(feeds(**run));
    reset->lazyResetGrad();
    for (const auto* run : {&plain, &reset}) (*run)->optimizerStep();
    QVERIFY(sameBits(reset->toBuffer(false), plain->toBuffer(false)));
}

void OrtPythonTest::theRateOfACheckpointOfOnnxRuntimeIsTheDefault() {
    const auto run = session(artifacts());
    run->setLearningRate(0.25F);
    Artifacts ours = artifacts();
    ours.checkpoint = run->state().toFile(true);
    Artifacts theirs = ours;
    theirs.checkpoint.properties.clear();  // ONNX Runtime does not store a rate
    QCOMPARE(session(std::move(ours))->learningRate(), 0.25F);
    QCOMPARE(session(std::move(theirs))->learningRate(), 0.001F);
}

void OrtPythonTest::evalParametersMayBeInAnotherOrder() {
    Artifacts made = artifacts();
    const auto plain = session(made);
    const std::shared_ptr<Graph> eval = made.evalModel->clone();
    std::vector<Value*> inputs = eval->inputs();
    std::reverse(inputs.begin() + 2, inputs.end());
    eval->setInputs(inputs);
    made.evalModel = eval;
    const auto reversed = session(std::move(made));
    QCOMPARE(reversed->evalStep(feeds(*reversed))[0].toDouble(),
             plain->evalStep(feeds(*plain))[0].toDouble());
}

void OrtPythonTest::modelsWithUnknownAndRepeatedImportsLoad() {
    const auto model = loadModel(OrtApiFixture::api() / "custom_ops/training_model.onnx");
    QVERIFY(model->info().opsetImports.size() > 2);
    QVERIFY(std::ranges::any_of(model->nodes(),
                                [](const Node* node) { return node->opType() == "CustomOpOne"; }));
}

/// The output is the loss itself.
void OrtPythonTest::artifactsWithoutLossOrOptimizer() {
    ArtifactSpec spec;
    spec.loss = {"none", {}};
    spec.optimizer = {"none", {}};
    Artifacts made = generateArtifacts(*parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        g (float[N, 2] x) => (float l) <float[2] w = {3, 4}> {
            y = Mul(x, w)
            l = ReduceSum <keepdims = 0> (y)
        })"),
                                       *allOps(), spec);
    QVERIFY(made.optimizerModel == nullptr);
    const auto run = session(std::move(made));
    QCOMPARE(run->outputNames(), std::vector<std::string>{"l"});
    const std::vector<Tensor> input{Tensor::of<float>({2, 2}, {1, 10, 2, 20})};
    QCOMPARE(run->trainStep(input)[0].toDouble(), 3.0 * 3 + 4.0 * 30);
    const auto gradient = run->state().parameter("w").gradient.values<float>();
    QCOMPARE(gradient[0], 3.0F);
    QCOMPARE(gradient[1], 30.0F);
    QVERIFY(errorOf([&] { run->optimizerStep(); }).contains("No optimizer session initialized"));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OrtPythonTest)
#include "ort_python_test.moc"
