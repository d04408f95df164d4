// SPDX-License-Identifier: Apache-2.0
#include "engine/training/analysis/unit_probe.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/onnx/graph_text.h"
#include "engine/training/analysis/predictor.h"
#include "engine/training/edits/dense_layers.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

const std::shared_ptr<const OpSet> kOps = std::make_shared<const OpSet>(standardOps());

constexpr int64_t kSamples = 4;

Tensor firstSamples(const LessonRun& run, const std::string& input) {
    const std::vector<int64_t> rows = {0, 1, 2, 3};
    const Dataset& data = *run.data.training;
    return data.batch(data.columnIndex(run.data.binding.at(input)), rows);
}

double activated(const std::string& op, double value) {
    if (op == "Relu") return std::max(0.0, value);
    if (op == "Tanh") return std::tanh(value);
    throw std::logic_error("no formula for " + op);
}

}  // namespace

class UnitProbeTest : public QObject {
    Q_OBJECT

private slots:
    void layersAreThoseOfTheTrainedModel_data() {
        QTest::addColumn<QString>("lesson");
        for (const char* lesson : {"xor", "spirals", "iris", "digits"})
            QTest::newRow(lesson) << lesson;
    }

    /// Each layer's responses are its formula of those before; the last are the predictions.
    void layersAreThoseOfTheTrainedModel() {
        QFETCH(QString, lesson);
        LessonRun run(lesson.toStdString());
        run.spec.steps = 20;
        QVERIFY(run.run() == RunOutcome::Finished);
        UnitProbe probe(*run.artifacts.evalModel, *run.state, kOps);
        const auto model = loadLessonModel(findLesson(lesson.toStdString()));
        inferTypes(*model, kOps->catalog);
        const std::vector<DenseLayer> layers = findDenseLayers(*model, kOps->catalog);
        QCOMPARE(probe.layers().size(), layers.size());
        QVERIFY(layers.size() >= 2);
        QCOMPARE(probe.inputNames().size(), size_t{1});
        const Tensor samples = firstSamples(run, probe.inputNames().front());
        const std::vector<Tensor> responses = probe.responses(std::vector<Tensor>{samples});
        QCOMPARE(responses.size(), layers.size());
        for (size_t at = 0; at < layers.size(); ++at) {
            QCOMPARE(probe.layers()[at].units(), layers[at].units());
            QCOMPARE(responses[at].shape(), (Shape{kSamples, layers[at].units()}));
            if (at == 0 && samples.rank() > 2) continue;  // convolutions come first
            verifyFormula(run, layers[at], at == 0 ? samples : responses[at - 1], responses[at]);
        }
        Predictor predictor(*run.artifacts.evalModel, *run.state, kOps);
        const Tensor said = predictor.predict(std::vector<Tensor>{samples});
        QVERIFY(std::ranges::equal(said.values<float>(), responses.back().values<float>()));
    }

    void directionsAreCovariances() {
        const Tensor samples = Tensor::of<float>({4, 2}, {1, 5, 2, 5, 3, 5, 6, 5});
        const Tensor responses =
            Tensor::of<float>({4, 3}, {2, -1, 7, 4, -2, 7, 6, -3, 7, 12, -6, 7});
        const Tensor directions = excitingDirections(responses, samples);
        QCOMPARE(directions.shape(), (Shape{3, 2}));
        const std::span<const float> values = directions.values<float>();
        const double deviation = std::sqrt(3.5);  // of 1, 2, 3, 6
        QVERIFY(std::abs(double{values[0]} - deviation) < 1e-6);
        QVERIFY(std::abs(double{values[2]} + deviation) < 1e-6);
        for (const size_t at : {1U, 3U, 4U, 5U}) QCOMPARE(values[at], 0.0F);
    }

    void aModelThatIsNotDenseIsRefused() {
        const auto model = parseText(R"(g (float[N, 1, 2, 2] x) => (float[N, 1, 2, 2] y)
            <float[1, 1, 1, 1] w = {2}> { y = Conv(x, w) })");
        inferTypes(*model, kOps->catalog);
        ArtifactSpec spec;
        spec.loss = {"mse", {}};
        const Artifacts artifacts = generateArtifacts(*model, *kOps, spec);
        const CheckpointState state(artifacts.checkpoint);
        QVERIFY_THROWS_EXCEPTION(Error, UnitProbe(*artifacts.evalModel, state, kOps));
    }

private:
    /// A layer's formula with the numbers of the checkpoint, against what the probe gave.
    static void verifyFormula(const LessonRun& run, const DenseLayer& layer, const Tensor& before,
                              const Tensor& after) {
        const CheckpointFile file = run.state->toFile(false);
        const auto numbers = [&file](const Value& parameter) {
            for (const NamedTensor& each : file.trainable)
                if (each.name == parameter.name()) return each.data.values<float>();
            throw std::logic_error("no parameter " + parameter.name());
        };
        const auto weight = numbers(*layer.weight), bias = numbers(*layer.bias);
        const auto units = static_cast<size_t>(layer.units());
        const auto inputs = static_cast<size_t>(layer.inputs());
        for (size_t row = 0; row < kSamples; ++row) {
            for (size_t unit = 0; unit < units; ++unit) {
                double sum = double{bias[unit]};
                for (size_t from = 0; from < inputs; ++from) {
                    const size_t at =
                        layer.unitAxis == 0 ? unit * inputs + from : from * units + unit;
                    sum += double{weight[at]} * double{before.values<float>()[row * inputs + from]};
                }
                for (const Node* node : layer.activation) sum = activated(node->opType(), sum);
                const double given = double{after.values<float>()[row * units + unit]};
                QVERIFY2(std::abs(given - sum) < 1e-4 * std::max(1.0, std::abs(sum)),
                         qPrintable(QString("%1, not %2").arg(given).arg(sum)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(UnitProbeTest)
#include "unit_probe_test.moc"
