// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/label_shapes.h"

#include <QTest>
#include <cmath>

#include "engine/core/printable.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/binding/binding.h"
#include "engine/training/binding/target_input.h"
#include "tests/engine/training/fixtures.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Classes along an axis other than 1, and labels that show which axis is meant.
class LabelShapesTest : public QObject {
    Q_OBJECT

private slots:
    void classesAreAlongTheChosenAxis_data();
    void classesAreAlongTheChosenAxis();
    void aMissingAxisIsRefused_data();
    void aMissingAxisIsRefused();
    void theModelsOwnValueIsWhatTheLossReads();
    void labelsThatFitAnotherAxisAreRefused_data();
    void labelsThatFitAnotherAxisAreRefused();
    void labelsThatFitTwoAxesAreQuestioned_data();
    void labelsThatFitTwoAxesAreQuestioned();
    void targetsAreReadAsTheLossTakesThem_data();
    void targetsAreReadAsTheLossTakesThem();
};

/// y = w x, so that the gradient of w is tested, too.
std::unique_ptr<Graph> modelOf(const QString& shape) {
    return parseText(QString(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[%1] x) => (float[%1] y) <float[1] w = {1.0}> { y = Mul(x, w) })")
                         .arg(shape)
                         .toStdString());
}

ArtifactSpec specOfLoss(const QString& loss) {
    ArtifactSpec spec;
    spec.loss = {loss.toStdString(), {}};
    return spec;
}

std::unique_ptr<TrainingSession> sessionOf(const Graph& model, const ArtifactSpec& spec) {
    Artifacts artifacts = generateArtifacts(model, *allOps(), spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    return std::make_unique<TrainingSession>(std::move(artifacts), state, allOps());
}

void LabelShapesTest::classesAreAlongTheChosenAxis_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<double>("power");  ///< of the factor (1 - p) before -log p
    QTest::newRow("the last one") << "cross_entropy(y, labels, axis=-1)" << 0.0;
    QTest::newRow("by its number") << "cross_entropy(y, labels, axis=2)" << 0.0;
    QTest::newRow("of log-probabilities") << "nll(log_softmax(y, axis=2), labels, axis=-1)" << 0.0;
    QTest::newRow("focal") << "focal(y, labels, gamma=2, axis=-1)" << 2.0;
}

void LabelShapesTest::classesAreAlongTheChosenAxis() {
    QFETCH(QString, loss);
    QFETCH(double, power);
    const auto session = sessionOf(*modelOf("N, T, 4"), specOfLoss(loss));
    QCOMPARE(session->inputType("labels").rank(), int64_t{2});
    const Tensor x = randomTensor({2, 3, 4});
    const Tensor labels = Tensor::of<int64_t>({2, 3}, {0, 3, 1, 2, 2, 0});
    double expected = 0;  // by the formula of the loss, in float64
    for (size_t row = 0; row < 6; ++row) {
        const auto logits = x.values<float>().subspan(4 * row, 4);
        double sum = 0;
        for (const float logit : logits) sum += std::exp(double(logit));
        const double p = std::exp(double(logits[size_t(labels.values<int64_t>()[row])])) / sum;
        expected += -std::log(p) * std::pow(1 - p, power) / 6;
    }
    const std::vector<Tensor> feeds = {x, labels};
    const double found = session->trainStep(feeds)[0].toDouble();
    QVERIFY2(std::abs(found - expected) < 1e-5 * expected, std::to_string(found).c_str());
}

void LabelShapesTest::aMissingAxisIsRefused_data() {
    QTest::addColumn<QString>("loss");
    QTest::newRow("the batch") << "cross_entropy(y, labels, axis=0)";
    QTest::newRow("past the last") << "focal(y, labels, axis=3)";
    QTest::newRow("the batch from the end") << "nll(y, labels, axis=-3)";
    QTest::newRow("between two") << "cross_entropy(y, labels, axis=1.5)";
}

void LabelShapesTest::aMissingAxisIsRefused() {
    QFETCH(QString, loss);
    const ArtifactPlan plan = planArtifacts(*modelOf("N, T, 4"), *allOps(), specOfLoss(loss));
    QVERIFY(hasErrors(plan.findings));
    QCOMPARE(plan.findings.front().code, std::string("A008"));
    QVERIFY2(plan.findings.front().message.find("axis") != std::string::npos,
             plan.findings.front().message.c_str());
}

void LabelShapesTest::theModelsOwnValueIsWhatTheLossReads() {
    for (const char* loss : {"cross_entropy(y, labels, axis=-1)", "focal(y, labels, axis=-1)",
                             "cross_entropy(y, labels, axis=-1, label_smoothing=0.1)"}) {
        const auto session = sessionOf(*modelOf("N, T, 4"), specOfLoss(loss));
        const LossInfo info = describeLoss(graphWithLoss(*session));
        QCOMPARE(info.kind, std::string("cross-entropy"));
        QCOMPARE(info.predictions, std::vector<std::string>{"y"});
        QCOMPARE(classesOf(*session, info), int64_t{4});
        QCOMPARE(session
                     ->evaluate(std::vector<Tensor>{randomTensor({2, 3, 4}), Tensor()},
                                {info.prediction})[0]
                     .shape(),
                 (Shape{2, 4, 3}));
    }
}

void LabelShapesTest::labelsThatFitAnotherAxisAreRefused_data() {
    QTest::addColumn<QString>("shape");
    QTest::addColumn<Shape>("labels");  ///< of one sample
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("hint");
    const QString none;
    QTest::newRow("all free") << "N, T, C" << Shape{7} << "axis 1 of 'y', which is [2, 7, 4]"
                              << "--axis -1";
    QTest::newRow("free steps") << "N, T, 4" << Shape{7} << "'labels' is [2, 7]; expected [2, 4]"
                                << "--axis -1";
    QTest::newRow("all fixed") << "2, 7, 4" << Shape{7} << "expected [2, 4]"
                               << "--axis -1";
    QTest::newRow("sequences") << "N, T, 4" << Shape{5} << "expected [2, 4]"
                               << "shorter than the 7 steps of the prediction";
    QTest::newRow("sequences: CTC") << "N, T, C" << Shape{5} << "expected [2, 4]"
                                    << "temper artifacts MODEL --loss ctc --out DIR";
    QTest::newRow("sequences: what can be done")
        << "N, T, C" << Shape{5} << "expected [2, 4]"
        << "temper artifacts MODEL --axis -1 --ignore-index -100 --out DIR";
    QTest::newRow("classes along axis 1") << "N, T, C" << Shape{4} << none << none;
}

void LabelShapesTest::labelsThatFitAnotherAxisAreRefused() {
    QFETCH(QString, shape);
    QFETCH(Shape, labels);
    QFETCH(QString, message);
    QFETCH(QString, hint);
    const auto session = sessionOf(*modelOf(shape), specOfLoss("cross-entropy"));
    Shape all = labels;
    all.insert(all.begin(), 2);
    std::vector<Column> columns(2);
    columns[0].name = "x";
    columns[1].name = "labels";
    columns[1].isTarget = true;
    const TensorDataset data(columns, {randomTensor({2, 7, 4}), Tensor(DType::Int64, all)});
    const std::vector<Finding> findings = proposeBinding(*session, data, {}).findings;
    QCOMPARE(findings.size(), size_t(message.isEmpty() ? 0 : 1));
    if (message.isEmpty()) return;
    QCOMPARE(findings[0].code, std::string("D002"));
    QVERIFY2(QString::fromStdString(findings[0].message).contains(message),
             findings[0].message.c_str());
    QVERIFY2(QString::fromStdString(findings[0].hint).contains(hint), findings[0].hint.c_str());
    QCOMPARE(printableMessage(findings[0].hint), findings[0].hint);
}

void LabelShapesTest::labelsThatFitTwoAxesAreQuestioned_data() {
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("loss");
    QTest::addColumn<Shape>("logits");  ///< of a batch
    QTest::addColumn<bool>("isAsked");
    QTest::newRow("all free") << "N, T, C"
                              << "cross-entropy" << Shape{2, 5, 5} << true;
    QTest::newRow("all fixed") << "2, 5, 5"
                               << "cross-entropy" << Shape{2, 5, 5} << true;
    QTest::newRow("square pictures of as many classes")
        << "N, C, H, W"
        << "cross-entropy" << Shape{2, 5, 5, 5} << true;
    QTest::newRow("pictures") << "N, C, H, W"
                              << "cross-entropy" << Shape{2, 3, 5, 5} << false;
    QTest::newRow("fewer classes") << "N, C, T"
                                   << "cross-entropy" << Shape{2, 4, 5} << false;
    QTest::newRow("the axis was chosen")
        << "N, T, 5"
        << "cross_entropy(y, labels, axis=-1)" << Shape{2, 5, 5} << false;
    QTest::newRow("one label for each sample") << "N, C"
                                               << "cross-entropy" << Shape{2, 2} << false;
}

void LabelShapesTest::labelsThatFitTwoAxesAreQuestioned() {
    QFETCH(QString, shape);
    QFETCH(QString, loss);
    QFETCH(Shape, logits);
    QFETCH(bool, isAsked);
    const auto session = sessionOf(*modelOf(shape), specOfLoss(loss));
    Shape labels = logits;
    labels.erase(labels.begin() + 1);
    std::vector<Column> columns(2);
    columns[0].name = "x";
    columns[1].name = "labels";
    columns[1].isTarget = true;
    const TensorDataset data(columns, {randomTensor(logits), Tensor(DType::Int64, labels)});
    const std::vector<Finding> findings = proposeBinding(*session, data, {}).findings;
    QCOMPARE(findings.size(), size_t(isAsked));
    if (!isAsked) return;
    QCOMPARE(findings[0].code, std::string("D122"));
    QVERIFY(findings[0].severity == Severity::Warning);
    QVERIFY2(findings[0].message.find("along axis 1") != std::string::npos &&
                 findings[0].message.find("along the last axis") != std::string::npos,
             findings[0].message.c_str());
    QVERIFY2(findings[0].hint.find("--axis -1") != std::string::npos, findings[0].hint.c_str());
}

void LabelShapesTest::targetsAreReadAsTheLossTakesThem_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("classes");
    const auto row = [](const char* loss, TargetForm::Kind kind, int classes) {
        QTest::newRow(loss) << loss << int(kind) << classes;
    };
    row("cross-entropy", TargetForm::Kind::Classes, 4);
    row("mse", TargetForm::Kind::Numbers, 0);
    row("mean(y)", TargetForm::Kind::Any, 0);
    row("mean(w2 * cross_entropy(y, t, reduction=none))", TargetForm::Kind::Any, 0);
}

void LabelShapesTest::targetsAreReadAsTheLossTakesThem() {
    QFETCH(QString, loss);
    QFETCH(int, kind);
    QFETCH(int, classes);
    const TargetForm form = targetFormOf(*sessionOf(*modelOf("N, 4"), specOfLoss(loss)));
    QCOMPARE(int(form.kind), kind);
    QCOMPARE(form.classes, int64_t(classes));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::LabelShapesTest)
#include "label_shapes_test.moc"
