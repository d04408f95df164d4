// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "engine/core/random.h"
#include "engine/runtime/cpu/gemm.h"
#include "engine/runtime/cpu/instruction_set.h"
#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Nodes that multiply the factors a, b and d, and add c; "WIDE" is the attribute of products,
/// which no file may have, "h = ROUNDED(g)" a rounding.
struct NarrowCase {
    const char* name;
    const char* nodes;
    std::map<std::string, Shape> shapes;
    double tolerance = 2e-5;
};

const std::vector<NarrowCase>& narrowCases() {
    static const std::vector<NarrowCase> kCases = {
        {"matrices", "y = MatMul<WIDE>(a, b)", {{"a", {3, 4}}, {"b", {4, 2}}}},
        {"tiles in both directions",
         "y = MatMul<WIDE>(a, b)",
         {{"a", {300, 520}}, {"b", {520, 290}}}},
        {"a batch times one matrix",
         "y = MatMul<WIDE>(a, b)",
         {{"a", {7, 65, 40}}, {"b", {40, 90}}}},
        {"many small ones",
         "y = MatMul<WIDE>(a, b)",
         {{"a", {6, 8, 16, 24}}, {"b", {6, 8, 24, 16}}}},
        {"vectors", "y = MatMul<WIDE>(a, b)", {{"a", {70}}, {"b", {70}}}},
        {"A transposed",
         "y = com.microsoft.FusedMatMul<WIDE, transA = 1, alpha = 0.5>(a, b)",
         {{"a", {33, 70}}, {"b", {33, 20}}}},
        {"A transposed, by the old name",
         "y = com.microsoft.TransposeMatMul<WIDE, transA = 1>(a, b)",
         {{"a", {33, 70}}, {"b", {33, 20}}}},
        {"both transposed",
         "y = com.microsoft.FusedMatMul<WIDE, transA = 1, transB = 1>(a, b)",
         {{"a", {2, 33, 70}}, {"b", {2, 20, 33}}}},
        {"added to others",
         "y = temper.AddedProduct<WIDE, alpha = 0.5>(a, b, c)",
         {{"a", {33, 70}}, {"b", {70, 20}}, {"c", {33, 20}}}},
        {"transposed before",
         "t = Transpose<perm = [0, 2, 1, 3]>(a) y = MatMul<WIDE>(t, b)",
         {{"a", {2, 9, 3, 8}}, {"b", {2, 3, 8, 5}}}},
        {"transposed after",
         "p = MatMul<WIDE>(a, b) y = Transpose<perm = [0, 2, 1, 3]>(p)",
         {{"a", {2, 3, 9, 8}}, {"b", {2, 3, 8, 5}}}},
        {"gemm",
         "y = Gemm<WIDE, transB = 1, beta = 0.25>(a, b, c)",
         {{"a", {65, 80}}, {"b", {90, 80}}, {"c", {90}}}},
        {"gemm without C",
         "y = Gemm<WIDE, transA = 1, alpha = 2.0>(a, b)",
         {{"a", {80, 65}}, {"b", {80, 90}}}},
        {"nothing to add up", "y = MatMul<WIDE>(a, b)", {{"a", {3, 0}}, {"b", {0, 4}}}},
        {"no rows", "y = MatMul<WIDE>(a, b)", {{"a", {0, 3}}, {"b", {3, 4}}}},
        {"convolution",
         "y = Conv<WIDE, pads = [1, 1, 1, 1]>(a, b, c)",
         {{"a", {3, 16, 9, 7}}, {"b", {32, 16, 3, 3}}, {"c", {32}}}},
        {"convolution of colours, strided",
         "y = Conv<WIDE, pads = [3, 3, 3, 3], strides = [2, 2]>(a, b)",
         {{"a", {2, 3, 18, 15}}, {"b", {16, 3, 7, 7}}}},
        {"convolution, 1 x 1",
         "y = Conv<WIDE, strides = [2, 2]>(a, b)",
         {{"a", {2, 32, 8, 8}}, {"b", {48, 32, 1, 1}}}},
        {"convolution of few channels, dilated",
         "y = Conv<WIDE, dilations = [2, 2]>(a, b)",
         {{"a", {2, 5, 9, 9}}, {"b", {7, 5, 3, 3}}}},
        {"convolution in groups",
         "y = Conv<WIDE, group = 2>(a, b)",
         {{"a", {2, 32, 6, 6}}, {"b", {32, 16, 3, 3}}}},
        {"convolution of lines",
         "y = Conv<WIDE, pads = [1, 1]>(a, b)",
         {{"a", {2, 16, 20}}, {"b", {16, 16, 3}}}},
        {"convolution of nothing",
         "y = Conv<WIDE>(a, b)",
         {{"a", {0, 16, 5, 5}}, {"b", {16, 16, 3, 3}}}},
        {"transposed convolution",
         "y = ConvTranspose<WIDE, strides = [2, 2]>(a, b, c)",
         {{"a", {2, 16, 5, 4}}, {"b", {16, 32, 2, 2}}, {"c", {32}}}},
        {"gradient of a convolution",
         "dx, dw, db = com.microsoft.ConvGrad<WIDE, pads = [1, 1, 1, 1]>(a, b, d)",
         {{"a", {3, 32, 9, 7}}, {"b", {3, 16, 9, 7}}, {"d", {32, 16, 3, 3}}}},
        {"gradient of a strided convolution",
         "dx, dw, db = com.microsoft.ConvGrad<WIDE, strides = [2, 2]>(a, b, d)",
         {{"a", {2, 7, 4, 4}}, {"b", {2, 3, 10, 10}}, {"d", {7, 3, 4, 4}}}},
        // A number on the edge may be rounded to the other side: by 1/256 of it.
        {"layer after layer, in blocks of channels",
         "g = Conv<WIDE, pads = [1, 1, 1, 1]>(a, b) h = ROUNDED(g) "
         "y = Conv<WIDE, strides = [2, 2]>(h, d)",
         {{"a", {2, 16, 12, 12}}, {"b", {32, 16, 3, 3}}, {"d", {16, 32, 3, 3}}},
         2e-2},
    };
    return kCases;
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part))
        text.replace(at, part.size(), by);
    return text;
}

OpCase opCaseOf(const NarrowCase& narrow, bool isDouble) {
    OpCase made{replaced(replaced(narrow.nodes, "<WIDE>", ""), "<WIDE, ", "<"), {}};
    made.nodes =
        replaced(made.nodes, "h = ROUNDED(g)",
                 isDouble ? "r = Cast<to = 16>(g) h = Cast<to = 11>(r)" : "h = Cast<to = 16>(g)");
    uint64_t seed = 1;
    for (const auto& [name, shape] : narrow.shapes) {
        Tensor tensor = randomTensor(shape, seed++);
        if (name != "c") tensor = tensor.cast(DType::BFloat16);
        if (isDouble) tensor = tensor.cast(DType::Float64);
        made.feeds.emplace(name, std::move(tensor));
    }
    return made;
}

/// With kWideResult at all products.
Results runWide(const OpCase& opCase, int threads) {
    const auto graph = graphOf(opCase);
    for (Node* node : graph->nodes()) {
        if (!ops().catalog.facts(*node).factors.empty())
            node->setAttribute(kWideResult, int64_t{1});
    }
    return runGraph(*graph, opCase.feeds, {.threads = threads});
}

/// The root of the mean square.
double typicalOf(const Tensor& tensor) {
    const auto values = tensor.values<double>();
    double squares = 0;
    for (const double value : values) squares += value * value;
    return std::sqrt(squares / static_cast<double>(std::max<size_t>(values.size(), 1)));
}

}  // namespace

/// Products of bfloat16 numbers that add up in float32: with the processor's own instructions, or
/// widened where it has none.
class NarrowProductTest : public QObject {
    Q_OBJECT

private slots:
    void resultsAreThoseOfTheRoundedNumbersInDouble_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < narrowCases().size(); ++i)
            QTest::newRow(narrowCases()[i].name) << static_cast<int>(i);
    }
    void resultsAreThoseOfTheRoundedNumbersInDouble() {
        QFETCH(int, row);
        const NarrowCase& narrow = narrowCases()[static_cast<size_t>(row)];
        const OpCase opCase = opCaseOf(narrow, false);
        const Results found = runWide(opCase, 1), expected = runOp(opCaseOf(narrow, true));
        QVERIFY(!found.empty());
        for (const auto& [name, tensor] : expected) {
            QCOMPARE(found.at(name).dtype(), DType::Float32);
            const double allowed = narrow.tolerance * typicalOf(tensor);
            QCOMPARE(QString::fromStdString(difference(found.at(name).cast(DType::Float64), tensor,
                                                       {narrow.tolerance, allowed})),
                     QString());
        }
        for (const auto& [name, tensor] : runWide(opCase, 3)) {
            const Tensor& one = found.at(name);
            QVERIFY(std::memcmp(tensor.data(), one.data(), one.byteSize()) == 0);
        }
    }

    void eachProductIsAmongThem() {
        for (const OpInfo* info : ops().catalog.all()) {
            if (info->facts.factors.empty()) continue;
            const bool isTried = std::ranges::any_of(narrowCases(), [&](const NarrowCase& narrow) {
                return std::string(narrow.nodes).find(info->opType + "<WIDE") != std::string::npos;
            });
            QVERIFY2(isTried, info->opType.c_str());
        }
    }

    /// Without WIDE, ONNX's own operator: its result is bfloat16.
    void resultsOfOtherModelsStayBFloat16() {
        const Results found = runOp({"y = MatMul(a, b)",
                                     {{"a", randomTensor({3, 4}, 1).cast(DType::BFloat16)},
                                      {"b", randomTensor({4, 2}, 2).cast(DType::BFloat16)}}});
        QCOMPARE(found.at("y").dtype(), DType::BFloat16);
    }

    void theProductOfOneDnnIsTheDefinition_data() {
        QTest::addColumn<int>("form");
        for (int form = 0; form < 4; ++form) QTest::addRow("%d", form) << form;
    }
    void theProductOfOneDnnIsTheDefinition() {
        QFETCH(int, form);
        limitInstructionSet();
        if (bfloat16Units() == BFloat16Units::None)
            QSKIP("This processor does not multiply in bfloat16.");
        Random random(static_cast<uint64_t>(form) + 1);
        const auto numbers = [&](int64_t count) {
            std::vector<BFloat16> values(static_cast<size_t>(count));
            for (BFloat16& value : values) value.bits = bfloat16FromFloat(random.uniform() - 0.5F);
            return values;
        };
        for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{
                 {1, 1, 1}, {5, 17, 3}, {33, 1, 65}, {1, 50, 31}, {70, 90, 130}, {4, 4, 0}}) {
            MatrixProduct p{.m = m, .n = n, .k = k, .transA = form % 2 == 1, .transB = form >= 2};
            p.setDenseStrides();
            const auto a = numbers(m * k), b = numbers(k * n);
            const auto at = [](const std::vector<BFloat16>& matrix, int64_t i) {
                return static_cast<double>(floatFromBFloat16(matrix[static_cast<size_t>(i)].bits));
            };
            for (const float beta : {0.0F, 0.5F}) {
                // With beta = 0, C need not hold numbers.
                const float before = beta == 0 ? std::numeric_limits<float>::quiet_NaN() : 2.0F;
                std::vector<float> c(static_cast<size_t>(m * n), before);
                gemm(p, 2.0F, a.data(), b.data(), beta, c.data());
                for (int64_t i = 0; i < m * n; ++i) {
                    const int64_t row = i / n, column = i % n;
                    double sum = beta == 0 ? 0 : 1;
                    for (int64_t j = 0; j < k; ++j) {
                        sum += 2 * at(a, p.transA ? j * m + row : row * k + j) *
                               at(b, p.transB ? column * k + j : j * n + column);
                    }
                    QVERIFY(std::abs(c[static_cast<size_t>(i)] - sum) <=
                            1e-5 * (1 + std::abs(sum)));
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(NarrowProductTest)
#include "narrow_product_test.moc"
