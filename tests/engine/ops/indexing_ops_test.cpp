// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/autodiff/trainability.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

static Tensor floats(const Shape& shape, std::initializer_list<float> values) {
    return Tensor::of<float>(shape, values);
}

static Tensor indices(const Shape& shape, std::initializer_list<int64_t> values) {
    return Tensor::of<int64_t>(shape, values);
}

class IndexingTest : public QObject {
    Q_OBJECT

private slots:
    void valuesAreThoseOfTheDefinition_data();
    void valuesAreThoseOfTheDefinition();
    void gradientMatchesDifferences_data();
    void gradientMatchesDifferences();
    void indicesOutsideTheDataAreNamed_data();
    void indicesOutsideTheDataAreNamed();
    void embeddingGradientAddsInTheOrderOfTheIndices_data();
    void embeddingGradientAddsInTheOrderOfTheIndices();
    void topKOrdersTiesByIndexAndNaNFirst();
};

// Expected values: the examples of the ONNX operator definitions and of ORT's own tests
// (spec gradient_tests, section 11.2).
void IndexingTest::valuesAreThoseOfTheDefinition_data() {
    QTest::addColumn<OpCase>("opCase");
    QTest::addColumn<Tensor>("expected");
    const auto row = [](const char* name, OpCase opCase, Tensor expected) {
        QTest::newRow(name) << opCase << expected;
    };
    const Tensor table = floats({3, 2}, {1.0F, 1.2F, 2.3F, 3.4F, 4.5F, 5.7F});
    row("gather rows", {"y = Gather(x, i)", {{"x", table}, {"i", indices({2, 2}, {0, 1, 1, -1})}}},
        floats({2, 2, 2}, {1.0F, 1.2F, 2.3F, 3.4F, 2.3F, 3.4F, 4.5F, 5.7F}));
    row("gather one column",
        {"y = Gather<axis = 1>(x, i)", {{"x", table}, {"i", Tensor::scalar<int64_t>(1)}}},
        floats({3}, {1.2F, 3.4F, 5.7F}));
    row("gather with int32",
        {"y = Gather(x, i)", {{"x", table}, {"i", Tensor::of<int32_t>({1}, {2})}}},
        floats({1, 2}, {4.5F, 5.7F}));
    row("gather nothing", {"y = Gather(x, i)", {{"x", table}, {"i", indices({0}, {})}}},
        Tensor(DType::Float32, {0, 2}));
    row("scatter elements, add",
        {"y = ScatterElements<axis = 1, reduction = \"add\">(x, i, u)",
         {{"x", floats({1, 5}, {1, 2, 3, 4, 5})},
          {"i", indices({1, 2}, {1, 1})},
          {"u", floats({1, 2}, {1.1F, 2.1F})}},
         18},
        floats({1, 5}, {1, 5.2F, 3, 4, 5}));
    row("scatter elements, max",
        {"y = ScatterElements<reduction = \"max\">(x, i, u)",
         {{"x", floats({3}, {1, 2, 3})},
          {"i", indices({3}, {0, 0, -1})},
          {"u", floats({3}, {5, 4, 2})}},
         18},
        floats({3}, {5, 2, 3}));
    row("scatter slices",
        {"y = ScatterND<reduction = \"mul\">(x, i, u)",
         {{"x", floats({3, 2}, {1, 2, 3, 4, 5, 6})},
          {"i", indices({2, 1}, {2, 0})},
          {"u", floats({2, 2}, {2, 3, 4, 5})}},
         18},
        floats({3, 2}, {4, 10, 3, 4, 10, 18}));
    row("one-hot outside",
        {"y = OneHot(i, d, v)",
         {{"i", indices({3}, {-1, 3, 0})},
          {"d", Tensor::scalar<int64_t>(3)},
          {"v", floats({2}, {0, 1})}},
         13,
         {"d"}},
        floats({3, 3}, {0, 0, 1, 0, 0, 0, 1, 0, 0}));
    row("one-hot in front",
        {"y = OneHot<axis = 0>(i, d, v)",
         {{"i", indices({2}, {1, 0})},
          {"d", Tensor::scalar<int64_t>(2)},
          {"v", floats({2}, {-1, 5})}},
         13,
         {"d"}},
        floats({2, 2}, {-1, 5, 5, -1}));
    row("gather gradient, ORT",
        {"y = com.microsoft.GatherGrad(s, i, d)",
         {{"s", integerTensor({3, 3})},
          {"i", indices({2, 2}, {0, 1, 0, 1})},
          {"d", floats({2, 2, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5})}},
         17,
         {"s"}},
        floats({3, 3}, {0, 2, 4, 6, 8, 10, 0, 0, 0}));
    row("gather gradient, negative, ORT",
        {"y = com.microsoft.GatherGrad(s, i, d)",
         {{"s", integerTensor({3, 3})},
          {"i", indices({4}, {0, -1, 0, -2})},
          {"d", floats({4, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5})}},
         17,
         {"s"}},
        floats({3, 3}, {0, 2, 4, 3, 4, 5, 3, 4, 5}));
    row("gather-nd gradient, ORT",
        {"y = com.microsoft.GatherNDGrad(s, i, d)",
         {{"s", integerTensor({2, 2, 3})},
          {"i", indices({2, 2}, {-2, -1, -1, -2})},
          {"d", floats({2, 3}, {1, 2, 3, 4, 5, 6})}},
         17,
         {"s"}},
        floats({2, 2, 3}, {0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0}));
    row("gather-nd gradient in batches, ORT",
        {"y = com.microsoft.GatherNDGrad<batch_dims = 2>(s, i, d)",
         {{"s", integerTensor({2, 2, 2, 3})},
          {"i", indices({2, 2, 1}, {1, 1, 0, 1})},
          {"d", floats({2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})}},
         17,
         {"s"}},
        floats({2, 2, 2, 3},
               {0, 0, 0, 0, 1, 2, 0, 0, 0, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 9, 10, 11}));
}

void IndexingTest::valuesAreThoseOfTheDefinition() {
    QFETCH(OpCase, opCase);
    QFETCH(Tensor, expected);
    QCOMPARE(checkOutput(opCase, "y", expected, {1e-6, 0}), std::string());
}

// The table of spec gradient_tests section 8, and cases that it lacks.
void IndexingTest::gradientMatchesDifferences_data() {
    QTest::addColumn<OpCase>("opCase");
    const auto row = [](const char* name, OpCase opCase) { QTest::newRow(name) << opCase; };
    const Tensor x = randomTensor({4, 2, 3, 2});
    row("Gather, duplicates",
        {"y = Gather(x, i)", {{"x", x}, {"i", indices({8}, {0, 1, 2, 3, 0, 1, 2, 3})}}});
    row("Gather, axis 1",
        {"y = Gather<axis = 1>(x, i)", {{"x", x}, {"i", indices({3}, {0, 1, 0})}}});
    row("Gather, matrix of indices",
        {"y = Gather<axis = -2>(x, i)", {{"x", x}, {"i", indices({2, 3}, {0, 1, 2, -1, -2, 0})}}});
    row("Gather, one index", {"y = Gather<axis = 2>(x, i)", {{"x", x}, {"i", indices({}, {1})}}});
    row("ShrunkenGather",
        {"y = com.microsoft.ShrunkenGather(x, i)", {{"x", x}, {"i", indices({2}, {3, 1})}}});
    row("GatherElements",
        {"y = GatherElements(x, i)",
         {{"x", randomTensor({3, 3})}, {"i", indices({2, 3}, {1, 2, 0, 2, 0, 0})}}});
    row("GatherElements, more indices than the axis",
        {"y = GatherElements<axis = 1>(x, i)",
         {{"x", randomTensor({2, 2})}, {"i", indices({2, 4}, {1, 1, 1, 1, 1, 1, -1, 0})}}});
    row("GatherElements, middle axis",
        {"y = GatherElements<axis = 1>(x, i)",
         {{"x", randomTensor({2, 2, 2})}, {"i", indices({2, 1, 2}, {1, 1, 1, 0})}}});
    row("GatherND, repeated",
        {"y = GatherND(x, i)",
         {{"x", randomTensor({2, 2})}, {"i", indices({2, 2}, {1, 1, 1, 1})}}});
    row("GatherND, slices",
        {"y = GatherND(x, i)", {{"x", randomTensor({2, 2, 3})}, {"i", indices({2, 1}, {1, 0})}}});
    row("GatherND, batches", {"y = GatherND<batch_dims = 1>(x, i)",
                              {{"x", randomTensor({2, 2, 3})}, {"i", indices({2, 1}, {1, 0})}}});
    row("GatherND, two batch axes",
        {"y = GatherND<batch_dims = 2>(x, i)",
         {{"x", randomTensor({2, 2, 3})}, {"i", indices({2, 2, 1}, {1, 0, 2, 1})}}});
    row("TopK", {"y, i = TopK(x, k)",
                 {{"x", distinctTensor({3, 5})}, {"k", integerTensor({2})}},
                 11,
                 {"k"}});
    row("TopK, smallest on another axis",
        {"y, i = TopK<axis = 0, largest = 0>(x, k)",
         {{"x", distinctTensor({4, 3})}, {"k", integerTensor({2})}},
         11,
         {"k"}});
    row("TopK without indices",
        {"y = TopK(x, k)", {{"x", distinctTensor({3, 5})}, {"k", integerTensor({2})}}, 11, {"k"}});
    row("ScatterND", {"y = ScatterND(x, i, u)",
                      {{"x", randomTensor({2, 2, 2})},
                       {"i", indices({2, 2}, {0, 1, 1, 0})},
                       {"u", randomTensor({2, 2}, 2)}},
                      18});
    row("ScatterND, add", {"y = ScatterND<reduction = \"add\">(x, i, u)",
                           {{"x", randomTensor({8})},
                            {"i", indices({4, 1}, {4, 3, 4, 7})},
                            {"u", randomTensor({4}, 2)}},
                           18});
    row("ScatterElements", {"y = ScatterElements<axis = 1>(x, i, u)",
                            {{"x", randomTensor({3, 3})},
                             {"i", indices({2, 2}, {0, 2, -1, 1})},
                             {"u", randomTensor({2, 2}, 2)}},
                            18});
    row("ScatterElements, add", {"y = ScatterElements<reduction = \"add\">(x, i, u)",
                                 {{"x", randomTensor({3, 3})},
                                  {"i", indices({2, 3}, {1, 0, 2, 1, 2, 2})},
                                  {"u", randomTensor({2, 3}, 2)}},
                                 18});
    for (const char* reduction : {"mul", "max", "min"}) {
        const std::string name(reduction);
        row(("ScatterElements, " + name).c_str(),
            {"y = ScatterElements<axis = 1, reduction = \"" + name + "\">(x, i, u)",
             {{"x", distinctTensor({2, 4})},
              {"i", indices({2, 3}, {1, 0, 1, -1, 2, 2})},
              {"u", distinctTensor({2, 3}, 5)}},
             18});
        row(("ScatterND, " + name).c_str(), {"y = ScatterND<reduction = \"" + name + "\">(x, i, u)",
                                             {{"x", distinctTensor({4, 2})},
                                              {"i", indices({3, 1}, {2, 0, 2})},
                                              {"u", distinctTensor({3, 2}, 5)}},
                                             18});
    }
    row("ScatterElements, product with zeros", {"y = ScatterElements<reduction = \"mul\">(x, i, u)",
                                                {{"x", randomTensor({4})},
                                                 {"i", indices({6}, {0, 0, 1, 1, 2, 2})},
                                                 {"u", floats({6}, {0, 3, 0, 0, 2, 5})}},
                                                18});
    const Tensor chosen = Tensor::of<bool>({4}, {true, false, true, true});
    row("Compress, known condition",
        {"y = Compress<axis = 1>(x, c)", {{"x", randomTensor({2, 5})}, {"c", chosen}}, 11, {"c"}});
    row("Compress, negative axis",
        {"y = Compress<axis = -1>(x, c)", {{"x", randomTensor({2, 4})}, {"c", chosen}}, 11, {"c"}});
    row("Compress of all elements",
        {"y = Compress(x, c)", {{"x", randomTensor({2, 3})}, {"c", chosen}}, 11, {"c"}});
    row("Unique", {"y = Unique(x)", {{"x", distinctTensor({2, 3})}}});
    row("Unique, with its other results",
        {"y, i, j, c = Unique<sorted = 0>(x)", {{"x", distinctTensor({2, 3})}}});
    row("Unique columns", {"y = Unique<axis = -1>(x)", {{"x", distinctTensor({2, 3, 2})}}});
    const OpCase oneHot{"y = OneHot(i, d, v)",
                        {{"i", indices({3}, {-1, 3, 0})},
                         {"d", Tensor::scalar<int64_t>(3)},
                         {"v", floats({2}, {0.2F, 1.5F})}},
                        13,
                        {"d"}};
    row("OneHot", oneHot);
    OpCase inFront = oneHot;
    inFront.nodes = "y = OneHot<axis = 0>(i, d, v)";
    inFront.feeds.at("i") = indices({2, 2}, {1, 0, 2, 1});
    row("OneHot in front", inFront);
    row("Scatter, opset 11", {"y = Scatter(x, i, u)",
                              {{"x", randomTensor({3, 3})},
                               {"i", indices({1, 3}, {1, 0, 2})},
                               {"u", randomTensor({1, 3}, 2)}},
                              11});
}

void IndexingTest::gradientMatchesDifferences() {
    QFETCH(OpCase, opCase);
    QCOMPARE(checkGradient(opCase), std::string());
}

void IndexingTest::indicesOutsideTheDataAreNamed_data() {
    QTest::addColumn<OpCase>("opCase");
    const Tensor x = randomTensor({3, 2});
    QTest::newRow("Gather") << OpCase{"y = Gather(x, i)", {{"x", x}, {"i", indices({1}, {7})}}};
    QTest::newRow("GatherElements")
        << OpCase{"y = GatherElements(x, i)", {{"x", x}, {"i", indices({1, 1}, {7})}}};
    QTest::newRow("GatherND") << OpCase{"y = GatherND(x, i)",
                                        {{"x", x}, {"i", indices({1, 1}, {7})}}};
    QTest::newRow("GatherGrad") << OpCase{
        "y = com.microsoft.GatherGrad(s, i, d)",
        {{"s", integerTensor({3, 2})}, {"i", indices({1}, {7})}, {"d", randomTensor({1, 2})}},
        17,
        {"s"}};
}

void IndexingTest::indicesOutsideTheDataAreNamed() {
    QFETCH(OpCase, opCase);
    try {
        runOp(opCase, {.threads = 2});
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("Index 7 is outside an axis of 3 elements."),
                 error.what());
    }
}

void IndexingTest::embeddingGradientAddsInTheOrderOfTheIndices_data() {
    QTest::addColumn<int64_t>("rows");
    QTest::addColumn<int64_t>("columns");
    for (const int columns : {1, 15, 16, 64, 100, 128, 129, 300}) {
        for (const int rows : {1, 3, 50})
            QTest::addRow("%d x %d", rows, columns) << int64_t{rows} << int64_t{columns};
    }
}

void IndexingTest::embeddingGradientAddsInTheOrderOfTheIndices() {
    QFETCH(int64_t, rows);
    QFETCH(int64_t, columns);
    constexpr int64_t kCount = 3000;
    Tensor ids(DType::Int64, {kCount});
    int64_t id = 0;
    for (int64_t& value : ids.mutableValues<int64_t>()) value = (id += 37) % rows;
    const Tensor dy = randomTensor({kCount, columns});
    const OpCase opCase = {"y = com.microsoft.GatherGrad(s, i, d)",
                           {{"s", integerTensor({rows, columns})}, {"i", ids}, {"d", dy}},
                           17,
                           {"s"}};
    Tensor expected(DType::Float32, {rows, columns});
    const auto sums = expected.mutableValues<float>();
    std::ranges::fill(sums, 0.0F);
    for (int64_t i = 0; i < kCount; ++i) {
        const int64_t row = ids.values<int64_t>()[static_cast<size_t>(i)];
        for (int64_t k = 0; k < columns; ++k) {
            sums[static_cast<size_t>(row * columns + k)] +=
                dy.values<float>()[static_cast<size_t>(i * columns + k)];
        }
    }
    for (const int threads : {1, 3}) {
        const Tensor found = runOp(opCase, {.threads = threads}).at("y");
        QCOMPARE(difference(found, expected, {0, 0}), std::string());
    }
}

void IndexingTest::topKOrdersTiesByIndexAndNaNFirst() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Results results =
        runOp({"y, i = TopK(x, k)",
               {{"x", floats({5}, {1, 2, nan, 2, 0})}, {"k", integerTensor({4})}},
               11,
               {"k"}});
    QCOMPARE(difference(results.at("i"), integerTensor({2, 1, 3, 0}), {}), std::string());
    QCOMPARE(difference(results.at("y"), floats({4}, {nan, 2, 2, 1}), {0, 0}), std::string());
}

QTEST_APPLESS_MAIN(IndexingTest)
#include "indexing_ops_test.moc"
