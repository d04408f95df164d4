// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/random.h"
#include "engine/ir/graph.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/session/training_session.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

constexpr int64_t kUnits = 8;
constexpr int64_t kSamples = 4;
constexpr int kRounds = 3;

/// How time grows with the number of nodes: twenty thousand compared with five thousand.
/// Proportional time gives 4, quadratic time 16.
class ScalingTest : public QObject {
    Q_OBJECT

private slots:
    void artifactsTakeTimeInProportionToTheNodes_data() { addModels(); }
    void artifactsTakeTimeInProportionToTheNodes();
    void theFirstStepTakesTimeInProportionToTheNodes_data() { addModels(); }
    void theFirstStepTakesTimeInProportionToTheNodes();

private:
    static void addModels();
};

/// A model that is built layer by layer.
class LayeredModel {
public:
    virtual ~LayeredModel() = default;

    std::unique_ptr<Graph> make(size_t nodes) {
        graph_->info().opsetImports[""] = 17;
        const SymbolicShape shape = {Dim::named("N"), Dim::of(kUnits)};
        values_ = {graph_->addInput("input", {DType::Float32, shape, false})};
        while (graph_->nodeCount() + 4 < nodes) values_.push_back(layer());
        graph_->addOutput(values_.back());
        return std::move(graph_);
    }

protected:
    virtual Value* layer() = 0;

    /// The output of the layer `distance` before the next one; the input for those before the
    /// first.
    Value* before(size_t distance) const {
        return values_[values_.size() - std::min(distance, values_.size())];
    }

    Value* add(const std::string& op, const std::vector<Value*>& inputs) {
        return graph_->addNode({op, inputs, {graph_->uniqueName(op + number())}})->output(0);
    }

    Value* weights(const Shape& shape) {
        Tensor data(DType::Float32, shape);
        // As in a trained model, no two are equal.
        for (float& number : data.mutableValues<float>()) number = 0.2F * numbers_.uniform();
        return graph_->addInitializer("weights" + number(), std::move(data));
    }

    std::string number() { return std::to_string(count_++); }

private:
    std::unique_ptr<Graph> graph_ = std::make_unique<Graph>();
    std::vector<Value*> values_;  ///< the input and the output of each layer
    Random numbers_{2};
    int count_ = 0;
};

/// Layers with a product, a bias and an activation; each also reads the input of the one before it.
class DeepModel final : public LayeredModel {
    Value* layer() override {
        Value* product = add("MatMul", {before(1), weights({kUnits, kUnits})});
        Value* sum = add("Add", {product, before(2)});
        return add("Tanh", {add("Add", {sum, weights({kUnits})})});
    }
};

/// Layers that read the results of layers far before them.
class TangledModel final : public LayeredModel {
    Value* layer() override {
        const auto distance = static_cast<size_t>(random_.below(200));
        Value* other = before(distance + 1);
        switch (random_.below(4)) {
            case 0: return add("MatMul", {before(1), weights({kUnits, kUnits})});
            case 1: return add("Tanh", {add("Add", {before(1), other})});
            case 2: return add("Sigmoid", {add("Mul", {before(1), other})});
            default: return add("Add", {before(1), weights({kUnits})});
        }
    }

    Random random_{1};
};

/// Layers that share a few weights: the gradient of each has thousands of terms.
class SharingModel final : public LayeredModel {
    Value* layer() override {
        static constexpr size_t kWeights = 50;
        if (shared_.size() < kWeights) shared_.push_back(weights({kUnits}));
        Value* weight = shared_[next_++ % shared_.size()];
        return add("Tanh", {add("Add", {add("Mul", {before(1), weight}), weight})});
    }

    std::vector<Value*> shared_;
    size_t next_ = 0;
};

using Maker = std::unique_ptr<Graph> (*)(size_t nodes);

template <typename Model>
std::unique_ptr<Graph> made(size_t nodes) {
    return Model().make(nodes);
}

std::unique_ptr<Graph> makeModel(size_t nodes) {
    QFETCH(Maker, make);
    return make(nodes);
}

void ScalingTest::addModels() {
    QTest::addColumn<Maker>("make");
    QTest::newRow("deep") << Maker(made<DeepModel>);
    QTest::newRow("tangled") << Maker(made<TangledModel>);
    QTest::newRow("sharing") << Maker(made<SharingModel>);
}

/// The CPU time of `action`: other programs do not count. The least of several rounds.
template <typename F>
double secondsFor(F&& action) {
    double least = 1e9;
    for (int i = 0; i < kRounds; ++i) {
        const std::clock_t start = std::clock();
        action();
        least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return least;
}

double secondsForArtifacts(size_t nodes) {
    const auto model = makeModel(nodes);
    return secondsFor([&] { generateArtifacts(*model, *allOps(), {}); });
}

double secondsForTheFirstStep(size_t nodes) {
    const Artifacts artifacts = generateArtifacts(*makeModel(nodes), *allOps(), {});
    const Tensor input(DType::Float32, {kSamples, kUnits});
    const Tensor labels(DType::Int64, {kSamples});
    SessionOptions options;
    options.threads = 1;
    return secondsFor([&] {
        auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        TrainingSession session(artifacts, state, allOps(), options);
        const std::vector<Tensor> feeds = {input, labels};
        session.trainStep(feeds);
    });
}

void requireNearLinear(double few, double many) {
    QVERIFY2(many < few * 4 * 2.5,
             qPrintable(QString("5,000 nodes: %1 s, 20,000 nodes: %2 s").arg(few).arg(many)));
}

void ScalingTest::artifactsTakeTimeInProportionToTheNodes() {
    requireNearLinear(secondsForArtifacts(5000), secondsForArtifacts(20000));
}

void ScalingTest::theFirstStepTakesTimeInProportionToTheNodes() {
    requireNearLinear(secondsForTheFirstStep(5000), secondsForTheFirstStep(20000));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ScalingTest)
#include "scaling_test.moc"
