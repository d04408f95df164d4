// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <sstream>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/monitors/layer_monitor.h"
#include "tests/engine/training/lesson_run.h"
#include "tests/support/standard_catalog.h"

using namespace temper;
using namespace temper::test;

namespace {

constexpr int64_t kUnits = 8;
constexpr int64_t kBatch = 32;
constexpr float kNever = -1e6F;  ///< a bias that no input of these tests outweighs

/// "{0.1, -0.3, ...}": normally distributed numbers.
std::string numbers(int64_t count, uint64_t seed) {
    Random random(seed);
    std::ostringstream text;
    for (int64_t i = 0; i < count; ++i) text << (i > 0 ? ", " : "{") << random.normal() / 2;
    return text.str() + "}";
}

/// The biases of the units: small, except those of units that shall be dead.
std::string bias(const std::set<int64_t>& dead) {
    std::ostringstream text;
    for (int64_t i = 0; i < kUnits; ++i)
        text << (i > 0 ? ", " : "{") << (dead.contains(i) ? kNever : 0.1F);
    return text.str() + "}";
}

/// A layer W with kUnits units, which outputs r; then V, which outputs y [N, 2].
struct Net {
    std::string input;   ///< shape of a sample
    std::string weight;  ///< shape of W
    int64_t weights = 0;
    std::string layer;     ///< the nodes from x to r
    int64_t features = 0;  ///< of r, flattened

    std::string text(const std::set<int64_t>& dead) const {
        return "<ir_version: 8, opset_import: [\"\": 17]> g (float[N, " + input +
               "] x) => (float[N, 2] y) <float[" + weight + "] W = " + numbers(weights, 1) +
               ", float[8] B = " + bias(dead) + ", float[8] S = {1, 1, 1, 1, 1, 1, 1, 1}" +
               ", float[8] M = {0, 0, 0, 0, 0, 0, 0, 0}, float[8] Z = {1, 1, 1, 1, 1, 1, 1, 1}" +
               ", float[" + std::to_string(features) + ", 2] V = " + numbers(2 * features, 2) +
               ", float[2] C = {0, 0}> { " + layer + " f = Flatten(r) y = Gemm(f, V, C) }";
    }
};

const std::map<std::string, Net>& nets() {
    static const std::map<std::string, Net> all = {
        {"Gemm", {"5", "5, 8", 40, "h = Gemm(x, W, B) r = Relu(h)", 8}},
        {"Gemm, transposed", {"5", "8, 5", 40, "h = Gemm<transB = 1>(x, W, B) r = Relu(h)", 8}},
        {"MatMul", {"5", "5, 8", 40, "m = MatMul(x, W) h = Add(m, B) r = Relu(h)", 8}},
        {"MatMul of a transposed weight",
         {"5", "8, 5", 40,
          "T = Transpose<perm = [1, 0]>(W) m = MatMul(x, T) h = Add(m, B) r = Relu(h)", 8}},
        {"Conv", {"2, 6, 6", "8, 2, 3, 3", 144, "h = Conv(x, W, B) r = Relu(h)", 128}},
        {"Conv in groups",
         {"2, 6, 6", "8, 1, 3, 3", 72, "h = Conv<group = 2>(x, W, B) r = Relu(h)", 128}},
        {"Conv and pooling",
         {"2, 6, 6", "8, 2, 3, 3", 144,
          "h = Conv(x, W, B) p = MaxPool<kernel_shape = [2, 2]>(h) r = Relu(p)", 72}},
        {"Conv and batch norm",
         {"2, 6, 6", "8, 2, 3, 3", 144,
          "h = Conv(x, W) n = BatchNormalization(h, S, B, M, Z) r = Relu(n)", 128}},
        {"Conv, cut at 0 and 6",
         {"2, 6, 6", "8, 2, 3, 3", 144,
          "h = Conv(x, W, B) a = Constant<value_float = 0.0>() b = Constant<value_float = 6.0>() "
          "r = Clip(h, a, b)",
          128}},
        {"ConvTranspose",
         {"2, 3, 3", "2, 8, 2, 2", 64, "h = ConvTranspose(x, W, B) r = Relu(h)", 128}},
        {"ConvTranspose in groups",
         {"2, 3, 3", "2, 4, 2, 2", 32, "h = ConvTranspose<group = 2>(x, W, B) r = Relu(h)", 128}},
    };
    return all;
}

/// A model that trains on noise, inspected in every step.
class Run {
public:
    Run(const std::string& text, const ArtifactSpec& spec) {
        const auto ops = std::make_shared<const OpSet>(standardOps());
        const std::unique_ptr<Graph> model = parseText(text);
        inferTypes(*model, ops->catalog);
        Artifacts artifacts = generateArtifacts(*model, *ops, spec);
        state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        session = std::make_unique<TrainingSession>(std::move(artifacts), state, ops);
        monitor.emplace(*state, 1e9,
                        unitsThatCanDie(*session->artifacts().evalModel, ops->catalog));
    }

    std::vector<Tensor> batch() {
        std::vector<Tensor> tensors;
        for (const std::string& name : session->inputNames()) {
            const ValueType type = session->inputType(name);
            Shape shape{kBatch};
            for (size_t i = 1; i < type.shape->size(); ++i) shape.push_back((*type.shape)[i].value);
            Tensor& tensor = tensors.emplace_back(type.dtype, shape);
            if (type.dtype != DType::Float32) continue;  // labels, all of class 0
            for (float& value : tensor.mutableValues<float>()) value = random_.normal();
        }
        return tensors;
    }

    /// Statistics of the last of `steps` inspections, by name.
    std::map<std::string, LayerStatistics> train(int64_t steps) {
        std::map<std::string, LayerStatistics> layers;
        for (int64_t step = 1; step <= steps; ++step) {
            session->trainStep(batch());
            monitor->beforeUpdate();
            session->optimizerStep();
            monitor->afterUpdate();
            session->lazyResetGrad();
            const auto event = monitor->finishStep(step, 1);
            for (const LayerStatistics& layer : *event->layers) layers[layer.name] = layer;
        }
        return layers;
    }

    /// Units of r [N, units, ...] that are zero for all of 64 batches.
    int64_t silentUnits() {
        std::vector<bool> fires(kUnits);
        for (int i = 0; i < 64; ++i) {
            const Tensor values = session->evaluate(batch(), {"r"})[0].clone();
            const int64_t inner = values.numElements() / (kBatch * kUnits);
            for (int64_t n = 0; n < kBatch; ++n)
                for (int64_t unit = 0; unit < kUnits; ++unit)
                    for (int64_t k = 0; k < inner; ++k)
                        if (values.values<float>()[size_t((n * kUnits + unit) * inner + k)] != 0)
                            fires[size_t(unit)] = true;
        }
        return std::ranges::count(fires, false);
    }

    std::shared_ptr<CheckpointState> state;
    std::unique_ptr<TrainingSession> session;
    std::optional<LayerMonitor> monitor;

private:
    Random random_{7};
};

/// The least of several runs: other load on the machine does not count.
template <typename F>
double leastSeconds(F&& action) {
    double least = 1e9;
    for (int i = 0; i < 12; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        action();
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        least = std::min(least, time.count());
    }
    return least;
}

ArtifactSpec specFor(const char* loss) {
    ArtifactSpec spec;
    spec.loss = {loss, {}};
    return spec;
}

std::string describe(const std::map<std::string, UnitLayout>& layouts) {
    std::string text;
    for (const auto& [name, layout] : layouts) {
        text += (text.empty() ? "" : " ") + name + ":" + std::to_string(layout.axis);
        if (layout.groups > 1) text += "x" + std::to_string(layout.groups);
    }
    return text;
}

}  // namespace

class DeadUnitsTest : public QObject {
    Q_OBJECT

private slots:
    void deadUnitsAreCounted_data() {
        QTest::addColumn<std::string>("net");
        QTest::addColumn<std::set<int64_t>>("dead");
        for (const auto& [name, net] : nets()) {
            for (const std::set<int64_t>& dead :
                 {std::set<int64_t>{}, {0}, {1, 4, 7}, {0, 1, 2, 3, 4, 5, 6, 7}})
                QTest::addRow("%s, %d dead", name.c_str(), int(dead.size())) << name << dead;
        }
    }

    void deadUnitsAreCounted() {
        QFETCH(std::string, net);
        QFETCH(std::set<int64_t>, dead);
        Run run(nets().at(net).text(dead), specFor("mse"));
        const auto layers = run.train(UnitSilence::kLooks + 5);
        QCOMPARE(layers.at("W").units, kUnits);
        QCOMPARE(layers.at("W").deadUnits, run.silentUnits());
        QCOMPARE(layers.at("W").deadUnits, int64_t(dead.size()));
        QCOMPARE(layers.at("V").units, int64_t{0});
    }

    void nothingIsKnownBeforeThereWereEnoughLooks() {
        Run run(nets().at("Gemm").text({0}), specFor("mse"));
        const auto before = run.train(UnitSilence::kLooks - 1);
        QCOMPARE(before.at("W").units, int64_t{0});
        QCOMPARE(run.train(1).at("W").deadUnits, int64_t{1});
    }

    void aUnitThatFiresAgainIsAlive() {
        UnitSilence silence({0, 1});
        Tensor gradient(DType::Float32, {2, 3});
        for (int i = 0; i < 12; ++i) silence.look(gradient);
        QCOMPARE(silence.dead(), int64_t{2});
        gradient.mutableValues<float>()[5] = 1e-30F;
        silence.look(gradient);
        QCOMPARE(silence.dead(), int64_t{1});
        gradient.mutableValues<float>()[5] = -0.0F;
        for (int i = 0; i < UnitSilence::kLooks - 1; ++i) silence.look(gradient);
        QCOMPARE(silence.dead(), int64_t{1});
        silence.look(gradient);
        QCOMPARE(silence.dead(), int64_t{2});
    }

    void frozenWeightsAreLeftOut() {
        ArtifactSpec spec = specFor("mse");
        spec.frozen = {"W"};
        Run run(nets().at("Gemm").text({0, 1}), spec);
        const auto layers = run.train(UnitSilence::kLooks + 1);
        QVERIFY(!layers.contains("W"));
        QCOMPARE(layers.at("V").units, int64_t{0});
    }

    /// Softmax is so certain that the gradients of all classes are exactly zero.
    void theLastLayerIsNotCounted() {
        std::string text = nets().at("Gemm").text({});
        const std::string zeros = "float[2] C = {0, 0}";
        text.replace(text.find(zeros), zeros.size(), "float[2] C = {1000, -1000}");
        Run run(text, specFor("cross-entropy"));
        const auto layers = run.train(UnitSilence::kLooks + 1);
        QCOMPARE(layers.at("V").zeroGradients, 1.0);
        QCOMPARE(layers.at("V").units, int64_t{0});
    }

    void unitsThatCanDieAreFound_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* nodes, const char* expected) {
            QTest::newRow(name) << nodes << expected;
        };
        row("one layer behind the other",
            "a = MatMul(x, U) b = Relu(a) c = MatMul(b, W) d = Relu(c) y = MatMul(d, V)",
            "U:1 W:1");
        row("activations that are never flat",
            "a = MatMul(x, U) b = LeakyRelu(a) c = MatMul(b, W) d = Tanh(c) y = MatMul(d, V)", "");
        row("no activation between", "a = MatMul(x, U) c = MatMul(a, W) y = MatMul(c, V)", "");
        row("a residual sum",
            "a = MatMul(x, U) b = Relu(a) c = MatMul(b, W) s = Add(c, b) d = Relu(s) "
            "y = MatMul(d, V)",
            "U:1 W:1");
        row("layer norm mixes units",
            "a = MatMul(x, U) n = LayerNormalization(a, G) b = Relu(n) c = MatMul(b, W) "
            "y = MatMul(c, V)",
            "");
        row("one weight for two layers",
            "a = MatMul(x, W) b = Relu(a) c = MatMul(b, W) d = Relu(c) y = MatMul(d, V)", "W:1");
        row("one weight, one of two layers without activation",
            "a = MatMul(x, W) b = Relu(a) c = MatMul(b, W) y = MatMul(c, V)", "");
    }

    void unitsThatCanDieAreFound() {
        QFETCH(QString, nodes);
        QFETCH(QString, expected);
        const std::string square = "float[4, 4] ";
        const std::string text =
            "<ir_version: 8, opset_import: [\"\": 17]> g (float[N, 4] x) => (float[N, 2] y) <" +
            square + "U = " + numbers(16, 1) + ", " + square + "W = " + numbers(16, 2) +
            ", float[4, 2] V = " + numbers(8, 3) + ", float[4] G = {1, 1, 1, 1}> { " +
            nodes.toStdString() + " }";
        // The second loss contains a Relu itself.
        for (const char* loss : {"mse", "hinge"}) {
            const Run run(text, specFor(loss));
            QCOMPARE(QString::fromStdString(describe(
                         unitsThatCanDie(*run.session->artifacts().evalModel, standardCatalog()))),
                     expected);
            QCOMPARE(QString::fromStdString(describe(unitsThatCanDie(
                         *run.session->artifacts().trainingModel, standardCatalog()))),
                     expected);
        }
    }

    /// In the trainer, with the events that it emits.
    void aRunReportsThem() {
        LessonRun run("digits");
        Parameter* bias = nullptr;
        for (Parameter& parameter : run.state->parameters())
            if (parameter.name == "conv1.bias") bias = &parameter;
        QVERIFY(bias != nullptr);
        std::ranges::fill(bias->data.mutableValues<float>(), 10.0F);
        for (const size_t unit : {1, 3, 4}) bias->data.mutableValues<float>()[unit] = kNever;
        run.spec.steps = 30;
        Trainer trainer(*run.session, run.data, run.spec, run.control,
                        [&](const RunEvent& event) { run.events.push_back(event); });
        trainer.watchLayers(1e9);
        QCOMPARE(trainer.run(), RunOutcome::Finished);
        const LayersEvent last = run.all<LayersEvent>().back();
        std::map<std::string, LayerStatistics> layers;
        for (const LayerStatistics& layer : *last.layers) layers[layer.name] = layer;
        QCOMPARE(layers.at("conv1.weight").deadUnits, int64_t{3});
        QCOMPARE(layers.at("conv1.weight").units, bias->data.numElements());
        QCOMPARE(layers.at("conv1.bias").units, int64_t{0});
        // As in a log.
        const RunEvent read = runEventFromJsonLine(toJsonLine({0, last}));
        for (const LayerStatistics& layer : *std::get<LayersEvent>(read.fact).layers) {
            QCOMPARE(layer.units, layers.at(layer.name).units);
            QCOMPARE(layer.deadUnits, layers.at(layer.name).deadUnits);
        }
    }

    /// The first number suffices for living units: inspecting a large weight is not a pass over it.
    void lookingAtLivingUnitsCostsNextToNothing() {
        Tensor gradient(DType::Float32, {4096, 4096});
        const auto values = gradient.mutableValues<float>();
        std::ranges::fill(values, 1.0F);
        const double pass = leastSeconds([&] { QVERIFY(std::ranges::count(values, 0.0F) == 0); });
        for (const size_t axis : {0, 1}) {
            UnitSilence silence({axis, 1});
            const double look = leastSeconds([&] { silence.look(gradient); });
            qInfo("axis %zu: a look takes %.3f ms, a pass %.3f ms", axis, 1000 * look, 1000 * pass);
            QVERIFY(look < pass / 2);
            QCOMPARE(silence.dead(), int64_t{0});
        }
    }
};

QTEST_GUILESS_MAIN(DeadUnitsTest)
#include "dead_units_test.moc"
