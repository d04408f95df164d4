// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <functional>
#include <limits>

#include "engine/training/ort_classic/training_session.h"
#include "tests/engine/training/ort_classic/classic_network.h"

namespace temper::test {

using classic::DynamicLossScale;
using classic::LossScaler;
using classic::TrainingParameters;
using Change = std::function<void(TrainingParameters&)>;

/// The error of creating the session; Internal if there is none.
static Error refusal(const Change& change) {
    static const Arrays golden = classicGolden();
    TrainingParameters parameters;
    parameters.lossOutputName = "loss";
    parameters.optimizerName = "AdamOptimizer";
    change(parameters);
    try {
        const classic::TrainingSession session(*classicNetwork(golden), parameters, allOps());
    } catch (const Error& error) {
        return error;
    }
    return {ErrorCode::Internal, "nothing was thrown"};
}

class ClassicParametersTest : public QObject {
    Q_OBJECT

private slots:
    void withoutOtherRanksNothingIsDistributed_data();
    void withoutOtherRanksNothingIsDistributed();
    void wrongParametersAreExplained_data();
    void wrongParametersAreExplained();
    void defaultsAreOrts();
    void aDynamicScaleDoublesAfterItsWindowAndHalvesOnOverflow();
    void aScaleStaysBetweenItsLimits();
    void aStaticScaleStays();
    void wrongScalesAreRefused();

private:
    /// Rows are functions, which QTest can not store.
    std::map<QString, Change> changes_;
    void row(const char* name, const char* message, Change change) {
        QTest::newRow(name) << QString(name) << QString(message);
        changes_[name] = std::move(change);
    }
};

void ClassicParametersTest::withoutOtherRanksNothingIsDistributed_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("message");
    row("world_rank", "'world_rank' is 1; the session's group of ranks has 0.",
        [](auto& p) { p.distributed.worldRank = 1; });
    row("world_size", "'world_size' is 4; the session's group of ranks has 1.",
        [](auto& p) { p.distributed.worldSize = 4; });
    row("local_rank", "'local_rank' is 1 of 1", [](auto& p) { p.distributed.localRank = 1; });
    row("local_size", "'local_rank' is 0 of 2 ('local_size') of 1 ('world_size')",
        [](auto& p) { p.distributed.localSize = 2; });
    row("data_parallel_size", "make 2 ranks; 'world_size' is 1.",
        [](auto& p) { p.distributed.dataParallelSize = 2; });
    row("horizontal_parallel_size", "make 2 ranks; 'world_size' is 1.",
        [](auto& p) { p.distributed.horizontalParallelSize = 2; });
    row("pipeline_parallel_size",
        "'pipeline_parallel_size' is 2, but 'pipeline_cut_info_string' has 0",
        [](auto& p) { p.distributed.pipelineParallelSize = 2; });
    row("num_pipeline_micro_batches",
        "'num_pipeline_micro_batches' is set, but 'pipeline_parallel_size' is 1.",
        [](auto& p) { p.distributed.pipelineMicroBatches = 8; });
    row("pipeline_cut_info_string", "'pipeline_cut_info_string' is set",
        [](auto& p) { p.distributed.pipelineCutInfo = "h"; });
    row("sliced_schema", "'sliced_schema' is set",
        [](auto& p) { p.distributed.slicedSchema["x"] = {1}; });
    row("sliced_axes", "'sliced_axes' is set", [](auto& p) { p.distributed.slicedAxes["x"] = 0; });
    row("sliced_tensor_names", "'sliced_tensor_names' is set",
        [](auto& p) { p.distributed.slicedTensorNames = {"x"}; });
    row("both ZeRO and Adasum", "are both set; expected one of them", [](auto& p) {
        p.distributed.zeroStage = 1;
        p.distributed.enableAdasum = true;
    });
}

void ClassicParametersTest::withoutOtherRanksNothingIsDistributed() {
    QFETCH(QString, name);
    QFETCH(QString, message);
    const Error error = refusal(changes_.at(name));
    QVERIFY2(QString(error.what()).contains(message), error.what());
    QVERIFY(!error.hint().empty());
}

void ClassicParametersTest::wrongParametersAreExplained_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("message");
    row("no loss", "'loss_output_name' is empty", [](auto& p) { p.lossOutputName.clear(); });
    row("an unknown loss", "The model computes no value 'cost'",
        [](auto& p) { p.lossOutputName = "cost"; });
    row("a loss of many numbers", "expected a float32 scalar",
        [](auto& p) { p.lossOutputName = "scores"; });
    row("both lists", "'weights_to_train' and 'weights_not_to_train' are both given",
        [](auto& p) { p.weightsToTrain = {"w1"}, p.weightsNotToTrain = {"w2"}; });
    row("an unknown weight", "'w9' in 'weights_to_train' is not a weight of the model",
        [](auto& p) { p.weightsToTrain = {"w9"}; });
    row("an unknown frozen weight", "'x' in 'weights_not_to_train' is not a weight of the model",
        [](auto& p) { p.weightsNotToTrain = {"x"}; });
    row("nothing trains", "No weight of the model trains", [](auto& p) {
        p.weightsNotToTrain = {"w1", "b1", "w2", "b2"};
    });
    row("an unknown optimizer", "The optimizer 'Adam' is unknown.",
        [](auto& p) { p.optimizerName = "Adam"; });
    row("attributes of no weight", "which is not a trained weight", [](auto& p) {
        p.optimizerAttributes["w9"] = {{"alpha", 0.9F}};
    });
    row("an unknown attribute", "Attribute 'momentum' of weight 'w1' is unknown to AdamOptimizer",
        [](auto& p) {
            p.optimizerAttributes["w1"] = {{"momentum", 0.9F}};
        });
    row("an unknown integer", "Attribute 'alpha' of weight 'w1' is unknown to AdamOptimizer",
        [](auto& p) {
            p.optimizerIntAttributes["w1"] = {{"alpha", 1}};
        });
    row("several norms", "'max_norm_clip' is 1", [](auto& p) {
        p.optimizerAttributes["w1"] = {{"max_norm_clip", 2.0F}};
    });
    row("no bias correction", "needs weight_decay_mode 1", [](auto& p) {
        p.optimizerIntAttributes["w1"] = {{"do_bias_correction", 0}};
    });
    row("a limited ratio", "does not limit its ratio", [](auto& p) {
        p.optimizerName = "LambOptimizer";
        p.optimizerAttributes["w1"] = {{"ratio_max", 10.0F}};
    });
    row("no accumulation", "'gradient_accumulation_steps' is 0; expected at least 1.",
        [](auto& p) { p.gradientAccumulationSteps = 0; });
    row("two scales", "A static and a dynamic loss scale are set", [](auto& p) {
        p.lossScale = 2;
        p.dynamicLossScale = DynamicLossScale{};
    });
    row("a negative scale", "The loss scale is -2", [](auto& p) { p.lossScale = -2; });
    row("a size of zero", "'data_parallel_size' is 0; expected at least 1.",
        [](auto& p) { p.distributed.dataParallelSize = 0; });
    row("a ZeRO stage of three", "'deepspeed_zero_stage' is 3; expected 0 or 1.",
        [](auto& p) { p.distributed.zeroStage = 3; });
    row("a cast level", "'propagate_cast_ops_level' is 3", [](auto& p) { p.casts.level = 3; });
    row("a cast strategy", "'propagate_cast_ops_strategy' is 'Some'",
        [](auto& p) { p.casts.strategy = "Some"; });
    row("integer moments", "The type of moments is int8; expected float32, float16 or bfloat16.",
        [](auto& p) { p.momentType = DType::Int8; });
    row("moments of SGD", "the optimizer 'SGDOptimizer' keeps none",
        [](auto& p) { p.optimizerName = "SGDOptimizer", p.momentType = DType::Float16; });
    row("a number of layers", "'number_recompute_layers' is 2",
        [](auto& p) { p.recompute.layers = 2; });
}

void ClassicParametersTest::wrongParametersAreExplained() {
    QFETCH(QString, name);
    QFETCH(QString, message);
    const Error error = refusal(changes_.at(name));
    QVERIFY2(QString(error.what()).contains(message), error.what());
}

/// Source: spec/training_api.md section 10.1.
void ClassicParametersTest::defaultsAreOrts() {
    const TrainingParameters defaults;
    QCOMPARE(defaults.learningRateName, std::string("Learning_Rate"));
    QCOMPARE(defaults.gradientAccumulationSteps, 1);
    QCOMPARE(defaults.lossScale, 0.0F);
    QVERIFY(defaults.enableGradNormClip);
    QCOMPARE(defaults.casts.level, 1);
    QCOMPARE(defaults.casts.strategy, std::string("FloodFill"));
    const DynamicLossScale scale;
    QCOMPARE(scale.initial, 65536.0F);
    QCOMPARE(scale.upScaleWindow, 2000);
    QCOMPARE(scale.minimum, 1.0F);
    QCOMPARE(scale.maximum, 16777216.0F);
}

void ClassicParametersTest::aDynamicScaleDoublesAfterItsWindowAndHalvesOnOverflow() {
    LossScaler scaler(DynamicLossScale{});
    for (int i = 0; i < 1999; ++i) scaler.update(true);
    QCOMPARE(scaler.scale(), 65536.0F);
    scaler.update(true);
    QCOMPARE(scaler.scale(), 131072.0F);
    for (int i = 0; i < 1999; ++i) scaler.update(true);
    scaler.update(false);
    QCOMPARE(scaler.scale(), 65536.0F);
    scaler.update(true);
    QCOMPARE(scaler.finiteSteps(), 1);
    QCOMPARE(scaler.scale(), 65536.0F);
    scaler.reset();
    QCOMPARE(scaler.finiteSteps(), 0);
}

void ClassicParametersTest::aScaleStaysBetweenItsLimits() {
    LossScaler scaler(DynamicLossScale{2, 1, 1, 8});
    for (int i = 0; i < 5; ++i) scaler.update(true);
    QCOMPARE(scaler.scale(), 8.0F);
    for (int i = 0; i < 5; ++i) scaler.update(false);
    QCOMPARE(scaler.scale(), 1.0F);
    scaler.resume(1024, 7);
    QCOMPARE(scaler.scale(), 8.0F);
    QCOMPARE(scaler.finiteSteps(), 0);
}

void ClassicParametersTest::aStaticScaleStays() {
    LossScaler scaler(128);
    scaler.update(false);
    for (int i = 0; i < 5000; ++i) scaler.update(true);
    scaler.resume(4, 3);
    QCOMPARE(scaler.scale(), 128.0F);
}

void ClassicParametersTest::wrongScalesAreRefused() {
    QVERIFY_THROWS_EXCEPTION(Error, LossScaler(0.0F));
    QVERIFY_THROWS_EXCEPTION(Error, LossScaler(std::numeric_limits<float>::infinity()));
    QVERIFY_THROWS_EXCEPTION(Error, LossScaler(DynamicLossScale{1, 0, 1, 8}));
    QVERIFY_THROWS_EXCEPTION(Error, LossScaler(DynamicLossScale{16, 10, 1, 8}));
    QVERIFY_THROWS_EXCEPTION(Error, LossScaler(DynamicLossScale{1, 10, -1, 8}));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ClassicParametersTest)
#include "classic_parameters_test.moc"
