// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>

#include "engine/training/artifacts/artifact_plan.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// CTC beside its values, which loss_golden_test compares with PyTorch's.
class SequenceLossTest : public QObject {
    Q_OBJECT

private slots:
    void whatCtcCantReadIsRefused_data();
    void whatCtcCantReadIsRefused();
    void moreLabelsThanStepsAreInfinite();
    void labelsAreLearntWithoutTheirPlaces();
};

/// Steps of three numbers, each to four classes.
std::unique_ptr<Graph> reader(const QString& shape, int opset = 17) {
    return parseText(QString(R"(<ir_version: 8, opset_import: ["" : %1]>
        reader (float[%2] x) => (y) <float[3, 4] w = {0.1, -0.2, 0.3, 0.2, 0.1, -0.1, -0.3, 0.2,
            0.2, 0.1, 0.3, -0.1}, float[4] b = {0, 0, 0, 0}> { h = MatMul(x, w) y = Add(h, b) })")
                         .arg(opset)
                         .arg(shape)
                         .toStdString());
}

ArtifactSpec specOf(const std::string& loss) {
    ArtifactSpec spec;
    spec.loss = {loss, {}};
    spec.optimizer = {"sgd", {}};
    return spec;
}

TrainingSession sessionOf(const std::string& loss) {
    Artifacts artifacts = generateArtifacts(*reader("N, 5, 3"), *allOps(), specOf(loss));
    const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    return {std::move(artifacts), state, allOps(), {.threads = 1}};
}

void SequenceLossTest::whatCtcCantReadIsRefused_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("shape");
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("message");
    QTest::newRow("an open number of steps")
        << "ctc"
        << "N, T, 3" << 17 << "a known number of steps along axis 1";
    QTest::newRow("steps along the other axis")
        << "ctc(y, labels, time_axis=0)"
        << "N, 5, 3" << 17 << "a known number of steps along axis 0";
    QTest::newRow("no steps") << "ctc"
                              << "N, 3" << 17 << "reads logits [N, T, classes]";
    QTest::newRow("an old opset") << "ctc"
                                  << "N, 5, 3" << 10 << "CTC needs opset 11";
    QTest::newRow("weights of samples") << "v * ctc(y, labels)"
                                        << "N, 5, 3" << 17 << "it is not clear what 'v' weighs";
    QTest::newRow("a blank that is no class") << "ctc(y, labels, blank=4)"
                                              << "N, 5, 3" << 17 << "The blank is class 4";
    QTest::newRow("half a class") << "ctc(y, labels, blank=0.5)"
                                  << "N, 5, 3" << 17 << "expected a whole number";
}

void SequenceLossTest::whatCtcCantReadIsRefused() {
    QFETCH(QString, loss);
    QFETCH(QString, shape);
    QFETCH(int, opset);
    QFETCH(QString, message);
    const ArtifactSpec spec = specOf(loss.toStdString());
    const auto model = reader(shape, opset);
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), spec);
    QVERIFY(hasErrors(plan.findings));
    QCOMPARE(plan.findings.front().code, std::string("A008"));
    QVERIFY2(QString::fromStdString(plan.findings.front().message).contains(message),
             plan.findings.front().message.c_str());
    QVERIFY(!plan.findings.front().hint.empty() || loss.contains("0.5"));
    QVERIFY_EXCEPTION_THROWN(generateArtifacts(*model, *allOps(), spec), Error);
}

void SequenceLossTest::moreLabelsThanStepsAreInfinite() {
    const Tensor x = Tensor::of<float>({1, 5, 3}, std::vector<float>(15, 0.5F));
    const std::vector<Tensor> feeds = {x, Tensor::of<int64_t>({1, 4}, {1, 1, 1, 1})};
    QVERIFY(std::isinf(sessionOf("ctc").trainStep(feeds)[0].toDouble()));
    QCOMPARE(sessionOf("ctc(y, labels, zero_infinity=1)").trainStep(feeds)[0].toDouble(), 0.0);
}

/// Each sample shows its labels for one or two steps, with nothing between.
void SequenceLossTest::labelsAreLearntWithoutTheirPlaces() {
    TrainingSession session = sessionOf("ctc");
    session.setLearningRate(3);
    const std::vector<std::vector<int>> shown = {{1, 1, 0, 2, 0}, {3, 0, 3, 3, 0}, {0, 2, 1, 1, 3}};
    std::vector<float> x;
    for (const auto& steps : shown) {
        for (const int step : steps) {
            for (int i = 1; i <= 3; ++i) x.push_back(i == step ? 1.0F : 0.0F);
        }
    }
    const std::vector<Tensor> feeds = {Tensor::of<float>({3, 5, 3}, x),
                                       Tensor::of<int64_t>({3, 3}, {1, 2, -1, 3, 3, -1, 2, 1, 3})};
    double loss = 0;
    for (int step = 0; step < 1000; ++step) {
        loss = session.trainStep(feeds)[0].toDouble();
        session.optimizerStep();
        session.lazyResetGrad();
    }
    QVERIFY2(loss < 0.35, std::to_string(loss).c_str());
    const Tensor logits = session.evaluate(feeds, {"y"})[0];
    const auto values = logits.values<float>();
    for (size_t sample = 0; sample < shown.size(); ++sample) {
        std::vector<int64_t> read;
        int64_t before = 0;
        for (size_t step = 0; step < 5; ++step) {
            const auto row = values.subspan((sample * 5 + step) * 4, 4);
            const int64_t best = std::ranges::max_element(row) - row.begin();
            if (best != before && best != 0) read.push_back(best);
            before = best;
        }
        std::vector<int64_t> labels;
        for (const int64_t label : feeds[1].values<int64_t>().subspan(sample * 3, 3)) {
            if (label > 0) labels.push_back(label);
        }
        QCOMPARE(read, labels);
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::SequenceLossTest)
#include "sequence_loss_test.moc"
