// SPDX-License-Identifier: Apache-2.0
#include "engine/training/binding/target_values.h"

#include <QTest>
#include <atomic>
#include <cmath>

#include "engine/data/batch_loader.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/binding/binding.h"
#include "engine/training/trainer/trainer.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

using Numbers = QList<double>;

/// What losses say about targets outside their range, and where the targets are looked at.
class TargetValuesTest : public QObject {
    Q_OBJECT

private slots:
    void everyLossNamesWhatItDoesNotTake_data();
    void everyLossNamesWhatItDoesNotTake();
    void theLossOfOnnxRuntimeIsRecognised();
    void anInputOfTheModelIsATargetToo();
    void aLargeColumnIsLookedAtInPart();
    void everyBatchIsLookedAt();
    void aRunFailsAtTheBatch();
    void arraysNameTheirElement_data();
    void arraysNameTheirElement();
};

std::shared_ptr<TensorDataset> tableOf(const std::vector<std::pair<const char*, Tensor>>& arrays) {
    std::vector<Column> columns;
    std::vector<Tensor> tensors;
    for (const auto& [name, tensor] : arrays) {
        columns.emplace_back().name = name;
        tensors.push_back(tensor);
    }
    return std::make_shared<TensorDataset>(columns, tensors);
}

Tensor tensorOf(Shape shape, const Numbers& numbers) {
    const std::vector<float> values(numbers.begin(), numbers.end());
    return Tensor::of<float>(std::move(shape), std::span<const float>(values));
}

std::unique_ptr<TrainingSession> sessionOf(const std::string& loss) {
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 2] x) => (float[N, 2] y, float[N, 2] z)
            <float[2, 2] w = {0.1, 0.2, -0.3, 0.4}, float[2, 2] v = {0.5, 0.1, 0.2, -0.6}> {
            y = MatMul(x, w)
            z = MatMul(x, v)
        })");
    ArtifactSpec spec;
    spec.loss = {loss, {}};
    if (loss.find('(') == std::string::npos) spec.lossInputs = {"y", "t"};
    Artifacts artifacts = generateArtifacts(*model, *allOps(), spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    return std::make_unique<TrainingSession>(std::move(artifacts), std::move(state), allOps());
}

const QString kBinary = "Binary cross entropy with logits takes values between 0 and 1; column ";

void TargetValuesTest::everyLossNamesWhatItDoesNotTake_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<Numbers>("targets");  ///< [3, 2], or [3] if the loss reads one per sample
    QTest::addColumn<QStringList>("found");
    const auto row = [](const char* loss, const Numbers& targets, const QStringList& found) {
        QTest::addRow("%s: %g, %g ... %s", loss, targets[0], targets[1],
                      found.isEmpty() ? "fit" : "do not fit")
            << loss << targets << found;
    };
    const Numbers answers = {0, 1, 0.5, 1, 0, 0.25}, wrong = {0, 1, 0.5, 10, 3, 1};
    const Numbers signs = {-1, 1, 1, -1, 1, 1}, many = {0, 2, 3, 4, 5, 6};
    const QString found = "'t' has 3, 10, first in sample 1 (counted from 0).";
    for (const char* loss :
         {"bce-with-logits", "bce_with_logits(y, t)", "bce_with_logits(2*y - z, t)",
          "bce_with_logits(y, t, pos_weight=[2, 1])", "bce_with_logits(y, t, weight=[2, 1])",
          "mean(u * bce_with_logits(y, t, reduction=none))", "s * bce_with_logits(y, t)",
          "0.3*mse(y, t) + 0.7*bce_with_logits(z, t, reduction=sum)/2"}) {
        row(loss, answers, {});
        row(loss, wrong, {kBinary + found});
    }
    row("bce-with-logits", many,
        {kBinary + "'t' has 2, 3, 4, 5, 6, first in sample 0 (counted from 0)."});
    row("bce_with_logits(y, t)", {7, 8, 9, 10, 11, 12},
        {kBinary + "'t' has 7, 8, 9, 10, 11, ..., first in sample 0 (counted from 0)."});
    row("bce_with_logits(y, t)", {0, NAN, 1, 1, 1, 0}, {});
    for (const char* loss : {"binary-focal", "binary_focal(y, t, focal_alpha=-1)",
                             "binary_focal(y, t, gamma=0)", "s * binary_focal(y, t)"}) {
        row(loss, answers, {});
        row(loss, wrong, {"Binary focal takes values between 0 and 1; column " + found});
    }
    const QString hinge = "Hinge takes -1 and 1; column ";
    row("hinge", signs, {});
    row("hinge(y, t, margin=0.5)", answers,
        {hinge + "'t' has 0, 0.25, 0.5, first in sample 0 (counted from 0)."});
    row("hinge(y, 2*t - 1)", {0, 1, 3, 0, 1, 1}, {});
    row("hinge(y, u) + mse(z, t)", wrong, {});
    row("bce_with_logits(y, t) + hinge(z, t)", {0, 1, 1, 1, 1, 1},
        {hinge + "'t' has 0, first in sample 0 (counted from 0)."});
    row("bce_with_logits(y, t) + hinge(z, t)", {1, 1, 1, -1, 1, 1},
        {kBinary + "'t' has -1, first in sample 1 (counted from 0)."});
    const QString divergence = "Kullback-Leibler divergence takes ";
    row("kl_div(log_softmax(y), t)", answers, {});
    row("kl_div(log_softmax(y), t)", {0.5, 0.5, 1, 0, 0, 2},
        {divergence +
         "probabilities between 0 and 1; column 't' has 2, first in sample 2 (counted from 0)."});
    row("kl_div(log_softmax(y), t, log_target=1, reduction=batchmean)", {-1, 0, -3, -2, -1, -1},
        {});
    row("kl_div(log_softmax(y), t, log_target=1)", {-1, 0, 0.5, -2, -1, -1},
        {divergence + "log-probabilities, which are at most 0; column 't' has 0.5, first in sample "
                      "1 (counted from 0)."});
    row("cosine_embedding(y, z, t, margin=0.2)", {1, -1, 1}, {});
    row("cosine_embedding(y, z, t)", {1, 0, 1},
        {"Cosine embedding takes -1 and 1; column 't' has 0, first in sample 1 (counted from 0)."});
    row("mse", many, {});
    row("mean(t * y^2)", many, {});
    row("mean(t * log(sigmoid(y)))", many, {});
}

void TargetValuesTest::everyLossNamesWhatItDoesNotTake() {
    QFETCH(QString, loss);
    QFETCH(Numbers, targets);
    QFETCH(QStringList, found);
    const auto session = sessionOf(loss.toStdString());
    const bool isPerSample = targets.size() == 3;
    const Numbers ones = {1, 1, 1, 1, 1, 1};
    const auto data = tableOf({{"x", tensorOf({3, 2}, ones)},
                               {"t", tensorOf(isPerSample ? Shape{3} : Shape{3, 2}, targets)},
                               {"u", tensorOf({3, 2}, ones)},
                               {"s", tensorOf({3}, ones.first(3))}});
    QStringList messages;
    for (const Finding& finding : proposeBinding(*session, *data, {}).findings) {
        QCOMPARE(finding.code, "D123");
        QVERIFY(finding.severity == Severity::Error && !finding.hint.empty());
        messages += QString::fromStdString(finding.message);
    }
    QCOMPARE(messages, found);
}

/// The nodes and names of docs/spec/artifacts.md, section 5.3, with both weights.
void TargetValuesTest::theLossOfOnnxRuntimeIsRecognised() {
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 1] output, float[N, 1] target) => (float loss)
            <float[1] one = {1}, float[1] positive = {2}, float[1] weight = {3}> {
            ["onnx::Sigmoid::6"] s = Sigmoid(output)
            ["onnx::Log::8"] l = Log(s)
            ["onnx::Mul::10"] a = Mul(l, target)
            ["onnx::Mul::11"] b = Mul(a, positive)
            ["onnx::Sub::12"] c = Sub(one, s)
            ["onnx::Log::14"] d = Log(c)
            ["onnx::Sub::16"] e = Sub(one, target)
            ["onnx::Mul::18"] f = Mul(d, e)
            ["onnx::Add::20"] g = Add(b, f)
            ["onnx::Neg::22"] h = Neg(g)
            ["onnx::Mul::23"] i = Mul(h, weight)
            ["onnx::ReduceMean::24"] loss = ReduceMean<keepdims = 0>(i)
        })");
    const std::vector<RangedTarget> targets = rangedTargets(*model);
    QCOMPARE(targets.size(), size_t{1});
    QCOMPARE(targets[0].input, "target");
    QCOMPARE(targets[0].loss, "Binary cross entropy with logits");
    QVERIFY(targets[0].range.contains(0.5) && !targets[0].range.contains(1.5));
}

void TargetValuesTest::anInputOfTheModelIsATargetToo() {
    const auto session = sessionOf("bce_with_logits(y, x)");
    const auto data = tableOf({{"x", tensorOf({3, 2}, {0, 1, 0, 1, -4, 1})}});
    const std::vector<Finding> findings = proposeBinding(*session, *data, {}).findings;
    QCOMPARE(findings.size(), size_t{1});
    QCOMPARE(QString::fromStdString(findings[0].message),
             kBinary + "'x' has -4, first in sample 2 (counted from 0).");
}

/// 20 GiB of zeros that are made when they are read; one sample has a 7.
class LargeTargets final : public Dataset {
public:
    explicit LargeTargets(int64_t wrong) : wrong_(wrong) {
        Column column;
        column.name = "t";
        column.dtype = DType::Float32;
        column.shape = {1 << 20};
        columns_ = {column};
    }
    int64_t size() const override { return 5120; }
    const std::vector<Column>& columns() const override { return columns_; }
    void read(size_t, std::span<const int64_t> samples, std::byte* target) const override {
        bytesRead_ += std::ssize(samples) << 22;
        std::fill_n(target, samples.size() << 22, std::byte{0});
        for (size_t i = 0; i < samples.size(); ++i) {
            if (samples[i] == wrong_) reinterpret_cast<float*>(target)[(i << 20) + 5] = 7;
        }
    }
    std::string origin(int64_t sample) const override { return "line " + std::to_string(sample); }
    int64_t bytesRead() const { return bytesRead_; }

private:
    std::vector<Column> columns_;
    int64_t wrong_;
    mutable std::atomic<int64_t> bytesRead_ = 0;
};

void TargetValuesTest::aLargeColumnIsLookedAtInPart() {
    const auto session = sessionOf("bce-with-logits");
    const std::vector<RangedTarget> targets = rangedTargets(*session->artifacts().evalModel);
    const LargeTargets late(5000), early(60);
    QVERIFY(findTargetsOutOfRange(targets, {{"t", "t"}}, late).empty());
    QVERIFY2(late.bytesRead() < 2 * kTargetBytesAtStart, QByteArray::number(late.bytesRead()));
    const std::vector<Finding> findings = findTargetsOutOfRange(targets, {{"t", "t"}}, early);
    QCOMPARE(findings.size(), size_t{1});
    QCOMPARE(QString::fromStdString(findings[0].message), kBinary + "'t' has 7, first in line 60.");
}

void TargetValuesTest::everyBatchIsLookedAt() {
    const auto session = sessionOf("bce-with-logits");
    const auto data = checkedTargets(std::make_shared<LargeTargets>(5000),
                                     rangedTargets(*session->artifacts().evalModel), {{"t", "t"}});
    const std::vector<BatchField> fields = {{.column = "t"}};
    QCOMPARE(readFields(*data, fields, std::vector<int64_t>{3, 4999})[0].shape(),
             (Shape{2, 1 << 20}));
    try {
        readFields(*data, fields, std::vector<int64_t>{3, 5000});
        QFAIL("the 7 was not found");
    } catch (const Error& error) {
        QCOMPARE(QString(error.what()), kBinary + "'t' has 7, first in line 5000.");
        QVERIFY(error.code() == ErrorCode::InvalidInput && !error.hint().empty());
    }
    // without a range, or without the column, there is nothing to look at
    const std::shared_ptr<const Dataset> plain = std::make_shared<LargeTargets>(0);
    QCOMPARE(checkedTargets(plain, {}, {{"t", "t"}}), plain);
    QCOMPARE(checkedTargets(plain, rangedTargets(*session->artifacts().evalModel), {}), plain);
}

void TargetValuesTest::aRunFailsAtTheBatch() {
    const auto session = sessionOf("mse(y, u) + bce_with_logits(z, t)");
    Numbers targets(20, 1);
    targets[13] = 3;
    const Tensor ones = tensorOf({10, 2}, Numbers(20, 1));
    TrainerData data;
    data.training =
        withLines(tableOf({{"x", ones}, {"u", ones}, {"t", tensorOf({10, 2}, targets)}}),
                  {11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
    data.binding = {{"x", "x"}, {"t", "t"}, {"u", "u"}};
    RunSpec spec;
    spec.batchSize = 1;
    RunControl control;
    EndEvent end;
    int64_t steps = 0;
    Trainer trainer(*session, data, spec, control, [&](const RunEvent& event) {
        if (std::holds_alternative<StepEvent>(event.fact)) ++steps;
        if (const auto* fact = std::get_if<EndEvent>(&event.fact)) end = *fact;
    });
    QVERIFY(trainer.run() == RunOutcome::Failed);
    QCOMPARE(QString::fromStdString(end.message), kBinary + "'t' has 3, first in line 17.");
    QCOMPARE(end.step, steps);
    const std::vector<int64_t> order = epochOrder(10, spec.session.seed, 0);
    QCOMPARE(steps, std::find(order.begin(), order.end(), 6) - order.begin());
}

void TargetValuesTest::arraysNameTheirElement_data() {
    QTest::addColumn<Tensor>("array");
    QTest::addColumn<QString>("found");
    const auto row = [](const char* name, const Tensor& array, const char* found) {
        QTest::newRow(name) << array << found;
    };
    row("a batch", tensorOf({2, 2}, {0, 1, 0, 1}), "");
    row("an element", tensorOf({2, 2}, {0, 1, 3, 1}), "has 3, first in element [1, 0] ");
    row("a step", tensorOf({2, 1, 2}, {0, 1, 0, -2}), "has -2, first in element [1, 0, 1] ");
    row("whole numbers", Tensor::of<int64_t>({3}, {0, 1, 9}), "has 9, first in element [2] ");
    row("halves", tensorOf({2}, {0.5, 2.5}).cast(DType::Float16), "has 2.5, first in element [1] ");
    row("no numbers", Tensor(DType::Complex64, {1}), "");
}

void TargetValuesTest::arraysNameTheirElement() {
    QFETCH(Tensor, array);
    QFETCH(QString, found);
    const RangedTarget target =
        rangedTargets(*sessionOf("bce-with-logits")->artifacts().evalModel)[0];
    const std::optional<Finding> objection = objectionToValues(target, array, "array 't'");
    QCOMPARE(objection.has_value(), !found.isEmpty());
    if (!objection) return;
    QCOMPARE(QString::fromStdString(objection->message),
             QString(kBinary).replace("column ", "array 't' ") + found + "(counted from 0).");
}

}  // namespace temper::test

QTEST_APPLESS_MAIN(temper::test::TargetValuesTest)
#include "target_values_test.moc"
