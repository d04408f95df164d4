// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>

#include "engine/autodiff/gradient_graph.h"
#include "engine/ir/type_inference.h"
#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Labels 0 ... classes - 1 in turn, of int64 or int32.
Tensor labels(const Shape& shape, int64_t classes, DType dtype = DType::Int64) {
    Tensor tensor(DType::Int64, shape);
    int64_t i = 0;
    for (int64_t& label : tensor.mutableValues<int64_t>()) label = (i++ * 2 + 1) % classes;
    return tensor.cast(dtype);
}

struct LossForm {
    std::string attributes;
    bool hasWeights = false;
};

OpCase loss(const std::string& op, const Shape& scores, const LossForm& form) {
    Shape shape = scores;
    shape.erase(shape.begin() + 1);
    OpCase result{"y = " + op + "<" + form.attributes + ">(x, t" + (form.hasWeights ? ", w)" : ")"),
                  {{"x", randomTensor(scores, 3, -2, 2)}, {"t", labels(shape, scores[1])}},
                  13};
    if (form.hasWeights) result.feeds.emplace("w", randomTensor({scores[1]}, 4, 0.5F, 2));
    return result;
}

std::vector<GradientCase> gradientCases() {
    static std::vector<std::string> names;  // rows keep pointers to their names
    std::vector<GradientCase> cases;
    names.clear();
    names.reserve(128);
    const std::vector<Shape> shapes = {{5, 3}, {2, 4, 3}, {2, 3, 2, 2}};
    for (const std::string op : {"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"}) {
        for (const std::string reduction : {"mean", "sum", "none"}) {
            for (const Shape& shape : shapes) {
                for (const bool weighted : {false, true}) {
                    for (const bool ignores : {false, true}) {
                        const LossForm form{"reduction = \"" + reduction + "\"" +
                                                (ignores ? ", ignore_index = 1" : ""),
                                            weighted};
                        names.push_back(op + ", " + reduction + ", " + formatShape(shape) +
                                        (weighted ? ", weighted" : "") +
                                        (ignores ? ", ignoring" : ""));
                        cases.push_back({names.back().c_str(),
                                         loss(op, shape, form),
                                         {.inputs = {"x"}, .alsoSymbolic = false}});
                    }
                }
            }
        }
    }
    cases.push_back({"through the loss and the log-probabilities",
                     {"y, p = SoftmaxCrossEntropyLoss(x, t) z = Mul(p, p)",
                      {{"x", randomTensor({4, 3})}, {"t", labels({4}, 3)}},
                      13},
                     {.inputs = {"x"}}});
    for (const char* op :
         {"NegativeLogLikelihoodLossInternal", "NegativeLogLikelihoodLossInternal2"}) {
        cases.push_back(
            {op,
             {"y = com.microsoft." + std::string(op) + "<reduction = \"sum\">(x, t, w, i)",
              {{"x", randomTensor({4, 3})},
               {"t", labels({4}, 3)},
               {"w", randomTensor({3}, 4, 0.5F, 2)},
               {"i", Tensor::scalar<int64_t>(1)}},
              13},
             {.inputs = {"x"}}});
    }
    cases.push_back(
        {"internal form",
         {"y, p = com.microsoft.SoftmaxCrossEntropyLossInternal<reduction = \"mean\">(x, t, w, i)",
          {{"x", randomTensor({4, 3})},
           {"t", labels({4}, 3)},
           {"w", randomTensor({3}, 4, 0.5F, 2)},
           {"i", Tensor::scalar<int64_t>(1)}},
          13},
         {.inputs = {"x"}}});
    return cases;
}

/// Cross entropy of weighted classes, in double.
struct Definition {
    Definition(const Shape& shape, int64_t ignored)
        : x(randomTensor(shape, 3, -2, 2)),
          w(randomTensor({shape[1]}, 4, 0.5F, 2)),
          ignored_(ignored),
          classes_(shape[1]),
          inner_(x.numElements() / (shape[0] * shape[1])) {
        Shape perLabel = shape;
        perLabel.erase(perLabel.begin() + 1);
        t = labels(perLabel, classes_);
    }

    Tensor logProbabilities() const {
        Tensor result = x.cast(DType::Float64);
        const auto p = result.mutableValues<double>();
        forEachLabel([&](size_t, const auto& at) {
            double sum = 0;
            for (int64_t c = 0; c < classes_; ++c) sum += std::exp(p[at(c)]);
            for (int64_t c = 0; c < classes_; ++c) p[at(c)] -= std::log(sum);
        });
        return result;
    }
    Tensor losses() const {
        Tensor result(DType::Float64, t.shape());
        const Tensor p = logProbabilities();
        forEachLabel([&](size_t i, const auto& at) {
            const int64_t label = t.values<int64_t>()[i];
            result.mutableValues<double>()[i] = -weightOf(label) * p.values<double>()[at(label)];
        });
        return result;
    }
    Tensor gradient(const Tensor& dy, const Tensor& bias) const {
        Tensor result = bias.cast(DType::Float64);
        const Tensor p = logProbabilities();
        forEachLabel([&](size_t i, const auto& at) {
            const int64_t label = t.values<int64_t>()[i];
            const double scale = static_cast<double>(dy.values<float>()[i]) * weightOf(label);
            for (int64_t c = 0; c < classes_; ++c) {
                const double slope = std::exp(p.values<double>()[at(c)]) - (c == label ? 1 : 0);
                result.mutableValues<double>()[at(c)] += scale * slope;
            }
        });
        return result;
    }

    Tensor x, t, w;

private:
    /// Calls f(number of the label, position by class).
    template <typename F>
    void forEachLabel(F f) const {
        for (int64_t i = 0; i < t.numElements(); ++i) {
            f(static_cast<size_t>(i), [&](int64_t c) {
                return static_cast<size_t>((i / inner_ * classes_ + c) * inner_ + i % inner_);
            });
        }
    }
    double weightOf(int64_t label) const {
        if (label == ignored_) return 0;
        return static_cast<double>(w.values<float>()[static_cast<size_t>(label)]);
    }

    int64_t ignored_, classes_, inner_;
};

float lossOf(const OpCase& opCase) { return runOp(opCase).at("y").values<float>().front(); }

std::string messageOf(const OpCase& opCase) {
    try {
        runOp(opCase);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class LossTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() { addOnnxRows({"nllloss", "sce"}); }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void ortsResultsAreReproduced_data() {
        addOrtRows({"softmax_cross_entropy_ignore_index", "softmax_cross_entropy_images",
                    "softmax_cross_entropy_internal", "softmax_cross_entropy_mean_int32",
                    "softmax_cross_entropy_mean_int64", "softmax_cross_entropy_none",
                    "softmax_cross_entropy_sum_int32", "softmax_cross_entropy_sum_int64",
                    "softmax_cross_entropy_weights"});
    }
    void ortsResultsAreReproduced() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name), {1e-6, 1e-6});
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const QString problem = check(gradientCases(), row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void scoresOfAnyShapeFollowTheFormula_data() {
        QTest::addColumn<Shape>("shape");
        for (const Shape& shape : std::vector<Shape>{{1, 1},
                                                     {1, 7},
                                                     {5, 3},
                                                     {3, 1000},
                                                     {2, 5, 1},
                                                     {2, 4, 129},
                                                     {1, 3, 300},
                                                     {4, 50, 7},
                                                     {1, 200, 2, 65}})
            QTest::newRow(formatShape(shape).c_str()) << shape;
    }
    void scoresOfAnyShapeFollowTheFormula() {
        QFETCH(Shape, shape);
        constexpr int64_t kIgnored = 1;
        const Definition wanted(shape, kIgnored);
        Shape labelShape = shape;
        labelShape.erase(labelShape.begin() + 1);
        const Tensor dy = randomTensor(labelShape, 5), b = randomTensor(shape, 6);
        const OpCase forward{
            "y, p = com.microsoft.SoftmaxCrossEntropyLossInternal"
            "<reduction = \"none\">(x, t, w, i)",
            {{"x", wanted.x},
             {"t", wanted.t},
             {"w", wanted.w},
             {"i", Tensor::scalar<int64_t>(kIgnored)}},
            13};
        OpCase backward = forward;
        backward.nodes =
            "dx = com.microsoft.SoftmaxCrossEntropyLossInternalGrad"
            "<reduction = \"none\">(dy, p, t, w, i, b)";
        backward.feeds.erase("x");
        backward.feeds.emplace("p", wanted.logProbabilities().cast(DType::Float32));
        backward.feeds.emplace("dy", dy);
        backward.feeds.emplace("b", b);
        const auto compare = [](const Tensor& found, const Tensor& expected) {
            QCOMPARE(difference(found.cast(DType::Float64), expected, {2e-6, 2e-6}), std::string());
        };
        const Results found = runOp(forward);
        compare(found.at("y"), wanted.losses());
        compare(found.at("p"), wanted.logProbabilities());
        compare(runOp(backward).at("dx"), wanted.gradient(dy, b));
        QVERIFY(isIndependentOfThreads(forward));
        QVERIFY(isIndependentOfThreads(backward));
    }

    void aLabelThatIsNotAClassIsNamed_data() {
        QTest::addColumn<int64_t>("label");
        QTest::newRow("too large") << int64_t{3};
        QTest::newRow("negative") << int64_t{-2};
    }
    void aLabelThatIsNotAClassIsNamed() {
        QFETCH(int64_t, label);
        for (const DType dtype : {DType::Int64, DType::Int32}) {
            OpCase opCase = loss("SoftmaxCrossEntropyLoss", {3, 3}, {"reduction = \"mean\""});
            opCase.feeds.at("t") = Tensor::of<int64_t>({3}, {0, label, 1}).cast(dtype);
            const std::string message = messageOf(opCase);
            QVERIFY2(message.find("Label " + std::to_string(label) + " at position 1") !=
                         std::string::npos,
                     message.c_str());
            QVERIFY(message.find("3 classes") != std::string::npos);
            QVERIFY(message.find("SoftmaxCrossEntropyLoss") != std::string::npos);
        }
    }

    void withoutAnIgnoredLabelMinusOneIsIgnoredAsInOrt() {
        OpCase all = loss("SoftmaxCrossEntropyLoss", {3, 3}, {"reduction = \"sum\""});
        all.feeds.at("t") = Tensor::of<int64_t>({3}, {0, -1, 1});
        OpCase marked =
            loss("SoftmaxCrossEntropyLoss", {3, 3}, {"reduction = \"sum\", ignore_index = 7"});
        marked.feeds.at("t") = Tensor::of<int64_t>({3}, {0, 7, 1});
        QCOMPARE(lossOf(all), lossOf(marked));
    }

    void aMeanOverNothingIsZero() {
        OpCase opCase =
            loss("SoftmaxCrossEntropyLoss", {2, 3}, {"reduction = \"mean\", ignore_index = 1"});
        opCase.feeds.at("t") = Tensor::of<int64_t>({2}, {1, 1});
        QCOMPARE(lossOf(opCase), 0.0F);
    }

    void labelsAndScoresHaveToFit() {
        OpCase opCase = loss("SoftmaxCrossEntropyLoss", {4, 3}, {"reduction = \"mean\""});
        opCase.feeds.at("t") = labels({5}, 3);
        QVERIFY(messageOf(opCase).find("expected equal numbers") != std::string::npos);
        opCase.feeds.at("t") = labels({4, 3}, 3);
        QVERIFY(messageOf(opCase).find("without the classes") != std::string::npos);
        opCase.feeds.at("t") = labels({4}, 3).cast(DType::Float32);
        QVERIFY(messageOf(opCase).find("int32 or int64") != std::string::npos);
    }

    void theTrainingFormAddsLogProbabilities() {
        const auto graph =
            graphOf(loss("SoftmaxCrossEntropyLoss", {4, 3}, {"reduction = \"mean\""}));
        inferTypes(*graph, ops().catalog);
        applyTrainingForms(*graph, ops().catalog, ops().gradients, graph->at("y"),
                           {graph->at("x")});
        QVERIFY(graph->find("x_log_prob") != nullptr);
        QCOMPARE(graph->at("x_log_prob")->type(), graph->at("x")->type());
    }

    void resultsDoNotDependOnThreads() {
        QVERIFY(isIndependentOfThreads(
            loss("SoftmaxCrossEntropyLoss", {900, 50}, {"reduction = \"mean\"", true})));
        QVERIFY(isIndependentOfThreads(
            loss("SoftmaxCrossEntropyLoss", {20, 9, 30, 31}, {"reduction = \"sum\""})));
    }
};

QTEST_GUILESS_MAIN(LossTest)
#include "loss_test.moc"
