// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <cmath>

#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

const std::string kHead = "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]> ";

Tensor tensorOf(const QJsonArray& numbers) {
    Tensor tensor(DType::Float32, {numbers.size()});
    auto* value = tensor.mutableValues<float>().data();
    for (const auto& number : numbers) *value++ = static_cast<float>(number.toDouble());
    return tensor;
}

/// A recorded run: parameter -> state after each step.
struct Recording {
    QJsonObject tables;

    static std::optional<Recording> read(const QString& name) {
        QFile file(QStringLiteral(TEMPER_CONFORMANCE_DIR "/ort/optimizer_ops/") + name + ".json");
        if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
        return Recording{QJsonDocument::fromJson(file.readAll()).object()};
    }
    Feed state(const QString& table, int step) const {
        std::vector<Tensor> tensors;
        for (const auto& parameter : tables[table].toObject()) {
            tensors.push_back(tensorOf(parameter.toArray()[step].toArray()));
        }
        return Feed(std::move(tensors));
    }
    int steps() const {
        return static_cast<int>(tables["Gradients"].toObject().begin()->toArray().size());
    }
};

std::unique_ptr<Graph> optimizerGraph(const std::string& op, const Attributes& attributes,
                                      const std::vector<std::string>& scalars,
                                      const std::vector<std::string>& sequences, bool signal) {
    auto graph = std::make_unique<Graph>();
    graph->info().opsetImports = {{"", 17}, {"com.microsoft", 1}};
    std::vector<Value*> inputs;
    for (const std::string& name : scalars) {
        const DType dtype = name == "step" ? DType::Int64 : DType::Float32;
        inputs.push_back(graph->addInput(name, {dtype, SymbolicShape{Dim::of(1)}, false}));
    }
    for (const std::string& name : sequences) {
        inputs.push_back(graph->addInput(name, {DType::Float32, std::nullopt, true}));
    }
    if (signal) {
        inputs.push_back(
            graph->addInput("signal", {DType::Bool, SymbolicShape{Dim::of(1)}, false}));
    }
    const Node* node = graph->addNode(
        {op, inputs, {"flag"}, attributes, std::string(kMicrosoftDomain), "optimizer"});
    graph->addOutput(node->output(0));
    return graph;
}

/// The recordings are from double precision; in float, as in ORT, 1 - 0.999 is 4.7e-5 too large.
constexpr Tolerance kSecondMoment{1e-4, 1e-9};

std::unique_ptr<Graph> adamW(int64_t mode, bool signal = false) {
    const bool isFirst = mode == 0;
    const Attributes attributes = {{"adam_mode", mode},
                                   {"epsilon", isFirst ? 1e-8F : 1e-6F},
                                   {"weight_decay", isFirst ? 0.01F : 0.0F}};
    return optimizerGraph("AdamWOptimizer", attributes, {"lr", "step"}, {"w", "g", "m", "v"},
                          signal);
}

std::string differenceOf(const Feed& found, const Feed& expected, const Tolerance& tolerance) {
    for (size_t i = 0; i < found.tensors.size(); ++i) {
        const std::string problem = difference(found.tensors[i], expected.tensors[i], tolerance);
        if (!problem.empty()) return "parameter " + std::to_string(i) + ": " + problem;
    }
    return {};
}

Tensor floats(std::initializer_list<float> values) {
    return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

}  // namespace

class UpdateTest : public QObject {
    Q_OBJECT
private slots:
    void ortsResultsAreReproduced_data() {
        addOrtRows({"in_place_accumulator_v2_accumulate", "in_place_accumulator_v2_overwrite"});
    }
    void ortsResultsAreReproduced() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name), {1e-6, 1e-6});
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    void adamWFollowsRecordedRuns_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int64_t>("mode");
        for (const char* weights : {"single_weight", "multiple_weights"}) {
            for (const int mode : {0, 1}) {
                const QString file = QString("adamw_test_%1_mode_%2").arg(weights).arg(mode);
                QTest::newRow(qPrintable(file)) << file << int64_t{mode};
            }
        }
    }
    void adamWFollowsRecordedRuns() {
        QFETCH(QString, file);
        QFETCH(int64_t, mode);
        const auto recording = Recording::read(file);
        Feeds feeds = {{"lr", floats({1e-3F})},
                       {"step", integerTensor({1})},
                       {"w", recording->state("Parameters", 0)},
                       {"m", recording->state("Momentum1s", 0)},
                       {"v", recording->state("Momentum2s", 0)},
                       {"g", recording->state("Gradients", 0)}};
        const auto graph = adamW(mode);
        for (int step = 0; step < recording->steps(); ++step) {
            feeds.at("step") = integerTensor({step + 1});
            feeds.at("g") = recording->state("Gradients", step);
            const Results found = runGraph(*graph, feeds, {.threads = 2, .inPlace = true});
            QVERIFY(found.at("flag").values<bool>().front());
            QCOMPARE(
                differenceOf(feeds.at("w"), recording->state("Parameters", step + 1), {1e-6, 1e-7}),
                std::string());
            QCOMPARE(
                differenceOf(feeds.at("m"), recording->state("Momentum1s", step + 1), {1e-5, 1e-7}),
                std::string());
            QCOMPARE(differenceOf(feeds.at("v"), recording->state("Momentum2s", step + 1),
                                  kSecondMoment),
                     std::string());
        }
    }

    void sgdFollowsRecordedRuns_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"sgd_test_single_weight", "sgd_test_multiple_weights"}) {
            QTest::newRow(file) << QString(file);
        }
    }
    void sgdFollowsRecordedRuns() {
        QFETCH(QString, file);
        const auto recording = Recording::read(file);
        const auto graph = optimizerGraph("SGDOptimizerV2", {}, {"lr"}, {"w", "g"}, false);
        Feeds feeds = {{"lr", floats({1e-3F})},
                       {"w", recording->state("Parameters", 0)},
                       {"g", recording->state("Gradients", 0)}};
        for (int step = 0; step < recording->steps(); ++step) {
            feeds.at("g") = recording->state("Gradients", step);
            runGraph(*graph, feeds, {.inPlace = true});
            QCOMPARE(
                differenceOf(feeds.at("w"), recording->state("Parameters", step + 1), {1e-6, 1e-7}),
                std::string());
        }
    }

    /// Values of ORT's own test of the older operator, whose mode 1 with bias correction is
    /// AdamW's.
    void adamWDecaysLastInModeOne() {
        const auto graph =
            optimizerGraph("AdamWOptimizer", {{"adam_mode", int64_t{1}}, {"weight_decay", 0.0F}},
                           {"lr", "step"}, {"w", "g", "m", "v"}, false);
        const Feeds feeds = {{"lr", floats({1})},
                             {"step", integerTensor({1})},
                             {"w", Feed(std::vector{floats({-0.4634F, 0.3584F, -0.2121F})})},
                             {"g", Feed(std::vector{floats({0.4171F, 0.9485F, 1.2289F})})},
                             {"m", Feed(std::vector{floats({0, 0, 0})})},
                             {"v", Feed(std::vector{floats({0, 0, 0})})}};
        runGraph(*graph, feeds, {.inPlace = true});
        QCOMPARE(difference(feeds.at("w").tensors[0], floats({-1.4634F, -0.6416F, -1.2121F}),
                            {1e-4, 1e-4}),
                 std::string());
        QCOMPARE(
            difference(feeds.at("m").tensors[0], floats({0.0417F, 0.0949F, 0.1229F}), {1e-3, 1e-4}),
            std::string());
    }

    /// Stored values are rounded, intermediate ones are not: the same as a step from widened
    /// momentums whose results are narrowed.
    void halfMomentumsAreWidenedForTheStep_data() {
        QTest::addColumn<int>("dtype");
        QTest::newRow("float16") << static_cast<int>(DType::Float16);
        QTest::newRow("bfloat16") << static_cast<int>(DType::BFloat16);
    }
    void halfMomentumsAreWidenedForTheStep() {
        QFETCH(int, dtype);
        const auto half = static_cast<DType>(dtype);
        constexpr int64_t kCount = 40000;  // more than a chunk, and not a multiple of a block
        const auto wave = [](float frequency, float size) {
            Tensor tensor(DType::Float32, {kCount});
            float x = 0;
            for (float& value : tensor.mutableValues<float>()) {
                value = size * (1.01F + std::sin(frequency * x++));
            }
            return tensor;
        };
        const Tensor m = wave(0.3F, 0.01F).cast(half), v = wave(0.7F, 0.001F).cast(half);
        const auto feedsOf = [&](const Tensor& first, const Tensor& second) {
            return Feeds{{"lr", floats({0.01F})},
                         {"step", integerTensor({3})},
                         {"w", Feed(std::vector{wave(0.1F, 1)})},
                         {"g", Feed(std::vector{wave(0.2F, 0.1F)})},
                         {"m", Feed(std::vector{first})},
                         {"v", Feed(std::vector{second})}};
        };
        const Feeds narrow = feedsOf(m.clone(), v.clone());
        const Feeds wide = feedsOf(m.cast(DType::Float32), v.cast(DType::Float32));
        const auto graph = adamW(0, false);
        runGraph(*graph, wide, {.inPlace = true});
        for (const char* name : {"m", "v"}) graph->at(name)->setType({half, std::nullopt, true});
        runGraph(*graph, narrow, {.inPlace = true});
        const auto isSame = [&](const char* name, DType type) {
            const Tensor expected = wide.at(name).tensors[0].cast(type);
            const Tensor& found = narrow.at(name).tensors[0];
            return found.dtype() == type &&
                   std::equal(found.data(), found.data() + found.byteSize(), expected.data());
        };
        QVERIFY(isSame("w", DType::Float32));
        QVERIFY(isSame("m", half));
        QVERIFY(isSame("v", half));
    }

    void aFalseSignalChangesNothing() {
        const Feeds feeds = {{"lr", floats({1})},
                             {"step", integerTensor({1})},
                             {"w", Feed(std::vector{floats({1, 2})})},
                             {"g", Feed(std::vector{floats({1, 1})})},
                             {"m", Feed(std::vector{floats({0, 0})})},
                             {"v", Feed(std::vector{floats({0, 0})})},
                             {"signal", Tensor::of<bool>({1}, {false})}};
        const Results found = runGraph(*adamW(0, true), feeds, {.inPlace = true});
        QVERIFY(!found.at("flag").values<bool>().front());
        QCOMPARE(difference(feeds.at("w").tensors[0], floats({1, 2}), {}), std::string());
        QCOMPARE(difference(feeds.at("m").tensors[0], floats({0, 0}), {}), std::string());
    }

    void parametersAndGradientsHaveToFit() {
        const Feeds feeds = {{"lr", floats({1})},
                             {"w", Feed(std::vector{floats({1, 2})})},
                             {"g", Feed(std::vector{floats({1, 1, 1})})}};
        const auto graph = optimizerGraph("SGDOptimizerV2", {}, {"lr"}, {"w", "g"}, false);
        QVERIFY_EXCEPTION_THROWN(runGraph(*graph, feeds), Error);
    }

    void modeZeroNeedsBiasCorrection() {
        const auto graph = optimizerGraph("AdamWOptimizer",
                                          {{"adam_mode", int64_t{0}}, {"correct_bias", int64_t{0}}},
                                          {"lr", "step"}, {"w", "g", "m", "v"}, false);
        const Feed one(std::vector{floats({1})});
        QVERIFY_EXCEPTION_THROWN(runGraph(*graph, {{"lr", floats({1})},
                                                   {"step", integerTensor({1})},
                                                   {"w", one},
                                                   {"g", one},
                                                   {"m", one},
                                                   {"v", one}}),
                                 Error);
    }

    void clippingScalesByTheNormOfAllGradients_data() {
        QTest::addColumn<float>("maxNorm");
        QTest::newRow("clipped") << 12.0F;
        QTest::newRow("left") << 100.0F;
    }
    void clippingScalesByTheNormOfAllGradients() {
        QFETCH(float, maxNorm);
        Graph graph;
        graph.info().opsetImports = {{"", 17}, {"com.microsoft", 1}};
        Value* g = graph.addInput("g", {DType::Float32, std::nullopt, true});
        Value* w = graph.addInput("w", {DType::Float32, std::nullopt, true});
        Value* lr = graph.addInput("lr", {DType::Float32, SymbolicShape{Dim::of(1)}, false});
        const std::string ms(kMicrosoftDomain);
        Value* clipped =
            graph.addNode({"InplaceClipGradNorm", {g}, {"c"}, {{"max_norm", maxNorm}}, ms})
                ->output(0);
        graph.addOutput(
            graph.addNode({"SGDOptimizerV2", {lr, w, clipped}, {"flag"}, {}, ms})->output(0));
        const std::vector<Tensor> start = {floats({1, 2, 3}), floats({4, 5, 6, 7}),
                                           floats({8, 9, 10, 11, 12})};
        const Feed gradients({start[0].clone(), start[1].clone(), start[2].clone()});
        const Feed weights({floats({0, 0, 0}), floats({0, 0, 0, 0}), floats({0, 0, 0, 0, 0})});
        runGraph(graph, {{"g", gradients}, {"w", weights}, {"lr", floats({-1})}},
                 {.inPlace = true});
        const double factor = std::min(static_cast<double>(maxNorm) / std::sqrt(650.0), 1.0);
        for (size_t k = 0; k < start.size(); ++k) {
            Tensor expected = start[k].clone();
            for (float& value : expected.mutableValues<float>()) {
                value = static_cast<float>(static_cast<double>(value) * factor);
            }
            QCOMPARE(difference(gradients.tensors[k], expected, {1e-6, 0}), std::string());
            QCOMPARE(difference(weights.tensors[k], expected, {1e-6, 0}), std::string());
        }
    }

    void accumulatorsAddOrOverwriteInPlace() {
        const std::string text =
            kHead +
            "g (float[3] buffer, float[3] value, bool[1] overwrite) => (bool[1] done) "
            "{ done = com.microsoft.InPlaceAccumulatorV2(buffer, value, overwrite) }";
        const Tensor buffer = floats({1, 2, 3});
        const auto run = [&](bool overwrite) {
            const Results found = runText(text,
                                          {{"buffer", buffer},
                                           {"value", floats({4, 5, 6})},
                                           {"overwrite", Tensor::of<bool>({1}, {overwrite})}},
                                          {.inPlace = true});
            return found.at("done").values<bool>().front();
        };
        QVERIFY(run(false));
        QCOMPARE(difference(buffer, floats({5, 7, 9}), {}), std::string());
        QVERIFY(run(true));
        QCOMPARE(difference(buffer, floats({4, 5, 6}), {}), std::string());
    }

    void olderFormsWorkInPlaceToo() {
        const Tensor sum = floats({1, 2, 3});
        const Results added = runOp(
            {"y = com.microsoft.InPlaceAccumulator(x, v)", {{"x", sum}, {"v", floats({4, 5, 6})}}},
            {.inPlace = true});
        QCOMPARE(difference(added.at("y"), floats({5, 7, 9}), {}), std::string());
        QCOMPARE(difference(sum, floats({5, 7, 9}), {}), std::string());
        runOp({"y = com.microsoft.ZeroGradient(x, s)", {{"x", sum}, {"s", floats({1})}}},
              {.inPlace = true});
        QCOMPARE(difference(sum, floats({0, 0, 0}), {}), std::string());
    }
};

QTEST_GUILESS_MAIN(UpdateTest)
#include "update_test.moc"
