// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <limits>

#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Rows of ones in random columns.
Tensor oneHot(int64_t rows, int64_t classes) {
    Tensor labels(DType::Float32, {rows, classes});
    for (int64_t row = 0; row < rows; ++row) {
        labels.mutableValues<float>()[row * classes + row * 7 % classes] = 1;
    }
    return labels;
}

OpCase oneHotLoss(const char* reduction) {
    return {"y = com.microsoft.SoftmaxCrossEntropy<reduction = \"" + std::string(reduction) +
                "\">(x, t)",
            {{"x", randomTensor({5, 4}, 3, -2, 2)}, {"t", oneHot(5, 4)}},
            12,
            {"t"}};
}

OpCase sparseLoss(const char* reduction, bool hasWeights) {
    OpCase opCase{"y = SparseSoftmaxCrossEntropy<reduction = \"" + std::string(reduction) +
                      "\">(x, t" + (hasWeights ? ", w)" : ")"),
                  {{"x", randomTensor({2, 3, 4}, 3, -2, 2)},
                   {"t", integerTensor({0, 3, 1, 1, 2, 0}).reshaped({2, 3})}},
                  12,
                  {"t"}};
    if (!hasWeights) return opCase;
    opCase.feeds.emplace("w", Tensor::of<float>({2, 3}, {1, 0.5F, 0, 2, 1, 0.25F}));
    opCase.constants.push_back("w");
    return opCase;
}

const OpCase kPad{
    "y = com.microsoft.PadAndUnflatten(x, i, d)",
    {{"x", randomTensor({4, 3})}, {"i", integerTensor({3, 5, 0, 1})}, {"d", integerTensor({5, 2})}},
    13,
    {"i", "d"}};
const OpCase kUnpad{"y, d = com.microsoft.FlattenAndUnpad(x, i)",
                    {{"x", randomTensor({5, 2, 3})}, {"i", integerTensor({3, 5, 0, 1})}},
                    13,
                    {"i"}};

const std::vector<GradientCase> kGradients = {
    {"SoftmaxCrossEntropy, mean", oneHotLoss("mean")},
    {"SoftmaxCrossEntropy, sum", oneHotLoss("sum")},
    {"SparseSoftmaxCrossEntropy, mean", sparseLoss("mean", false)},
    {"SparseSoftmaxCrossEntropy, sum", sparseLoss("sum", false)},
    {"SparseSoftmaxCrossEntropy, weights, mean", sparseLoss("mean", true)},
    {"SparseSoftmaxCrossEntropy, weights, sum", sparseLoss("sum", true)},
    {"PadAndUnflatten", kPad},
    {"FlattenAndUnpad", kUnpad},
    {"Scale",
     {"y = com.microsoft.Scale<scale_down = 1>(x, n)",
      {{"x", randomTensor({2, 3})}, {"n", integerTensor({4})}},
      13,
      {"n"}}},
    {"MixedPrecisionScale",
     {"y, z = com.microsoft.MixedPrecisionScale<to = 1>(s, a, b)",
      {{"s", Tensor::scalar(3.0F)}, {"a", randomTensor({2})}, {"b", randomTensor({2, 2})}},
      13,
      {"s"}}},
};

struct AdamRow {
    const char* name;
    const char* attributes;
    std::vector<float> weights;
};

// Source: ONNX Runtime, orttraining/test/gradient/optimizer_ops_test.cc.
const std::vector<AdamRow> kAdam = {
    {"bias correction", "do_bias_correction = 1", {-1.4634F, -0.6416F, -1.2121F}},
    {"decay", "lambda = 0.01, do_bias_correction = 0", {-3.6210F, -2.8075F, -3.3723F}},
    {"decay, bias correction",
     "lambda = 0.01, do_bias_correction = 1",
     {-1.4587F, -0.6452F, -1.2099F}},
    {"decay last",
     "lambda = 0.01, do_bias_correction = 0, weight_decay_mode = 1",
     {-3.5894F, -2.7758F, -3.3406F}},
    {"decay last, bias correction",
     "lambda = 0.01, do_bias_correction = 1, weight_decay_mode = 1",
     {-1.4488F, -0.6352F, -1.1999F}},
};

OpCase adam(const std::string& attributes, const Tensor& rate, int64_t step, const Tensor& weights,
            const Tensor& gradients, const Tensor& m, const Tensor& v) {
    return {"t, m1, v1, w1, g1 = com.microsoft.AdamOptimizer<" + attributes + ">(r, n, w, g, m, v)",
            {{"r", rate},
             {"n", integerTensor({step})},
             {"w", weights},
             {"g", gradients},
             {"m", m},
             {"v", v}},
            12};
}

std::string checkValues(const OpCase& opCase, const char* output, std::vector<float> expected,
                        const Tolerance& tolerance) {
    const auto count = static_cast<int64_t>(expected.size());
    const Tensor wanted = Tensor::of<float>({count}, std::span<const float>(expected));
    return checkOutput(opCase, output, wanted, tolerance);
}

}  // namespace

/// ONNX Runtime's older training operators, with the values of its own tests.
class OrtTrainingTest : public QObject {
    Q_OBJECT
private slots:
    void gradientsMatchFiniteDifferences_data() { addRows(kGradients); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const QString problem = check(kGradients, row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    /// The backward operators compute the same as the gradient graphs of the losses.
    void backwardOperatorsAgreeWithTheLosses_data() {
        QTest::addColumn<QString>("reduction");
        QTest::newRow("mean") << "mean";
        QTest::newRow("sum") << "sum";
    }
    void backwardOperatorsAgreeWithTheLosses() {
        QFETCH(QString, reduction);
        const std::string attribute = "<reduction = \"" + reduction.toStdString() + "\">";
        const std::vector<GradientCase> cases = {
            {"one-hot",
             {"a, p = com.microsoft.SoftmaxCrossEntropy" + attribute +
                  "(x, t) b = com.microsoft.SoftmaxCrossEntropyGrad" + attribute + "(dy, p, t)",
              oneHotLoss("mean").feeds, 12}},
            {"sparse",
             {"a, p = SparseSoftmaxCrossEntropy" + attribute +
                  "(x, t, w) b = SparseSoftmaxCrossEntropyGrad" + attribute + "(dy, p, t, w)",
              sparseLoss("mean", true).feeds, 12}}};
        for (GradientCase row : cases) {
            row.opCase.feeds.emplace("dy", Tensor::scalar(2.0F));
            const Tensor gradient = runOp(row.opCase).at("b");
            const Tensor x = row.opCase.feeds.at("x").tensors.front();
            for (int64_t i = 0; i < x.numElements(); ++i) {
                const auto lossAt = [&](float step) {
                    Tensor moved = x.clone();
                    moved.mutableValues<float>()[i] += step;
                    OpCase shifted = row.opCase;
                    for (auto& [name, feed] : shifted.feeds) {
                        Tensor& tensor = feed.tensors.front();
                        if (name == "x") tensor = moved;
                        if (isFloating(tensor.dtype())) tensor = tensor.cast(DType::Float64);
                    }
                    shifted.nodes = shifted.nodes.substr(0, shifted.nodes.find(" b = ")) +
                                    " unused = Identity(dy)";
                    return runOp(shifted).at("a").toDouble();
                };
                const double slope = (lossAt(0.001F) - lossAt(-0.001F)) / 0.002;
                const auto found = static_cast<double>(gradient.values<float>()[i]);
                QVERIFY2(std::abs(found - 2 * slope) < 1e-4, row.name);
            }
        }
    }

    void sgdMovesAgainstTheGradient() {
        const OpCase opCase{"nw, ng = com.microsoft.SGDOptimizer(r, w, g)",
                            {{"r", Tensor::of<float>({1}, {0.5F})},
                             {"w", Tensor::of<float>({3}, {1, 2, 3})},
                             {"g", Tensor::of<float>({3}, {4, 5, 6})}},
                            12};
        QCOMPARE(checkValues(opCase, "nw", {-1, -0.5F, 0}, {}), std::string());
        QCOMPARE(checkValues(opCase, "ng", {-2, -2.5F, -3}, {}), std::string());
    }

    void adamWithoutBiasCorrection() {
        const OpCase opCase = adam(
            "do_bias_correction = 0", Tensor::of<float>({1}, {0.5F}), 3,
            Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<float>({3}, {4, 5, 6}),
            Tensor::of<float>({3}, {0.1F, 0.2F, 0.3F}), Tensor::of<float>({3}, {0.4F, 0.5F, 0.6F}));
        QCOMPARE(checkOutput(opCase, "t", integerTensor({4})), std::string());
        QCOMPARE(checkValues(opCase, "m1", {0.49F, 0.68F, 0.87F}, {1e-6, 1e-6}), std::string());
        QCOMPARE(checkValues(opCase, "v1", {0.4156F, 0.5245F, 0.6354F}, {1e-6, 1e-6}),
                 std::string());
        QCOMPARE(checkValues(opCase, "w1", {0.6199609F, 1.5305318F, 2.4542853F}, {1e-6, 1e-6}),
                 std::string());
        QCOMPARE(checkValues(opCase, "g1", {-0.3800391F, -0.4694682F, -0.5457147F}, {1e-6, 1e-6}),
                 std::string());
    }

    void adamReproducesOrtsValues_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < kAdam.size(); ++i)
            QTest::newRow(kAdam[i].name) << static_cast<int>(i);
    }
    void adamReproducesOrtsValues() {
        QFETCH(int, row);
        const AdamRow& adamRow = kAdam.at(static_cast<size_t>(row));
        const Tensor zero(DType::Float32, {3});
        const OpCase opCase = adam(adamRow.attributes, Tensor::of<float>({1}, {1}), 1,
                                   Tensor::of<float>({3}, {-0.4634F, 0.3584F, -0.2121F}),
                                   Tensor::of<float>({3}, {0.4171F, 0.9485F, 1.2289F}), zero, zero);
        QCOMPARE(checkValues(opCase, "m1", {0.0417F, 0.0949F, 0.1229F}, {1e-3, 1e-4}),
                 std::string());
        QCOMPARE(checkValues(opCase, "v1", {1.74e-4F, 8.9966e-4F, 1.5102e-3F}, {1e-3, 1e-7}),
                 std::string());
        QCOMPARE(checkValues(opCase, "w1", adamRow.weights, {1e-4, 1e-4}), std::string());
    }

    void rowsGoToTheirPlacesAndBack() {
        const Tensor x = kPad.feeds.at("x").tensors.front();
        const Tensor y = runOp(kPad).at("y");
        QCOMPARE(y.shape(), (Shape{5, 2, 3}));
        const std::vector<int64_t> places = {3, 5, 0, 1};
        for (int64_t place = 0; place < 10; ++place) {
            const auto found = std::find(places.begin(), places.end(), place);
            for (int64_t k = 0; k < 3; ++k) {
                const float expected =
                    found == places.end() ? 0 : x.values<float>()[(found - places.begin()) * 3 + k];
                QCOMPARE(y.values<float>()[place * 3 + k], expected);
            }
        }
        const Results back =
            runOp({kUnpad.nodes, {{"x", y}, {"i", integerTensor({3, 5, 0, 1})}}, 13, {"i"}});
        QCOMPARE(difference(back.at("y"), x, {}), std::string());
        QCOMPARE(difference(back.at("d"), integerTensor({5, 2}), {}), std::string());
    }

    void numbersThatAreNotFiniteAreFound() {
        const float infinity = std::numeric_limits<float>::infinity();
        const Tensor x =
            Tensor::of<float>({4}, {1, -infinity, std::numeric_limits<float>::quiet_NaN(), 3});
        const Tensor fine = Tensor::of<float>({2}, {1, 2});
        const OpCase flags{"y = com.microsoft.IsFinite(x)", {{"x", x}}, 12};
        QCOMPARE(checkOutput(flags, "y", Tensor::of<bool>({4}, {true, false, false, true})),
                 std::string());
        const auto allFinite = [&](const char* attributes, const Tensor& a) {
            const OpCase opCase{
                "y = com.microsoft.IsAllFinite" + std::string(attributes) + "(a, b)",
                {{"a", a}, {"b", fine}},
                12};
            return runOp(opCase).at("y").values<bool>()[0];
        };
        QVERIFY(!allFinite("", x));
        QVERIFY(allFinite("", fine));
        const Tensor noNumber = Tensor::of<float>({1}, {std::numeric_limits<float>::quiet_NaN()});
        QVERIFY(allFinite("<isinf_only = 1>", noNumber));
        QVERIFY(!allFinite("<isnan_only = 1>", noNumber));
        for (const bool last : {false, true}) {
            const OpCase all{
                "y = com.microsoft.All(x)", {{"x", Tensor::of<bool>({2}, {true, last})}}, 12};
            QCOMPARE(runOp(all).at("y").values<bool>()[0], last);
        }
    }
};

QTEST_APPLESS_MAIN(OrtTrainingTest)
#include "ort_training_test.moc"
