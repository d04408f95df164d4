// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/runtime/execution_plan.h"
#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

/// 0, 1, 2, ...
static Tensor counting(const Shape& shape) {
    Tensor tensor(DType::Float32, shape);
    float next = 0;
    for (float& value : tensor.mutableValues<float>()) value = next++;
    return tensor;
}

static Tensor floats(const Shape& shape, std::initializer_list<float> values) {
    return Tensor::of<float>(shape, values);
}

static void addCase(const char* name, OpCase opCase) { QTest::newRow(name) << opCase; }

class ShapeTest : public QObject {
    Q_OBJECT

private slots:
    void valuesAreThoseOfTheDefinition_data();
    void valuesAreThoseOfTheDefinition();
    void largeMovesAreTheSameForAnyNumberOfThreads_data();
    void largeMovesAreTheSameForAnyNumberOfThreads();
    void gradientMatchesDifferences_data();
    void gradientMatchesDifferences();
    void symbolicShapesFollowTheNodes_data();
    void symbolicShapesFollowTheNodes();
    void contradictionsAreRefused_data();
    void contradictionsAreRefused();
    void viewsCopyNothing();
    void broadcastGradientArgsNamesTheSummedAxes_data();
    void broadcastGradientArgsNamesTheSummedAxes();
    void sequencesAreTheMemoryOfTheirElements();
    void theIdentityOfASequenceIsItsElements();
};

// Expected values: the examples of the ONNX operator definitions, and NumPy's rules by hand.
void ShapeTest::valuesAreThoseOfTheDefinition_data() {
    QTest::addColumn<OpCase>("opCase");
    QTest::addColumn<Tensor>("expected");
    const auto row = [](const char* name, OpCase opCase, Tensor expected) {
        QTest::newRow(name) << opCase << expected;
    };
    row("slice backwards",
        {"y = Slice(x, s, e, a, t)",
         {{"x", counting({2, 3})},
          {"s", integerTensor({-1})},
          {"e", integerTensor({-100})},
          {"a", integerTensor({1})},
          {"t", integerTensor({-2})}},
         13,
         {"s", "e", "a", "t"}},
        floats({2, 2}, {2, 0, 5, 3}));
    row("slice by attributes",
        {"y = Slice<starts = [1], ends = [1000], axes = [1]>(x)", {{"x", counting({2, 3})}}, 9, {}},
        floats({2, 2}, {1, 2, 4, 5}));
    row("slice of nothing",
        {"y = Slice<starts = [3], ends = [2], axes = [1]>(x)", {{"x", counting({2, 3})}}, 9, {}},
        Tensor(DType::Float32, {2, 0}));
    row("pad constant",
        {"y = Pad(x, p, v)",
         {{"x", counting({2, 2})}, {"p", integerTensor({0, 1, 1, 0})}, {"v", Tensor::scalar(9.0F)}},
         13,
         {"p"}},
        floats({3, 3}, {9, 0, 1, 9, 2, 3, 9, 9, 9}));
    row("pad by attributes",
        {"y = Pad<pads = [0, 1, 1, 0], value = 9.0>(x)", {{"x", counting({2, 2})}}, 9, {}},
        floats({3, 3}, {9, 0, 1, 9, 2, 3, 9, 9, 9}));
    row("pad with axes",
        {"y = Pad(x, p, \"\", a)",
         {{"x", counting({2, 2})}, {"p", integerTensor({1, 0})}, {"a", integerTensor({-1})}},
         18,
         {"p", "a"}},
        floats({2, 3}, {0, 0, 1, 0, 2, 3}));
    row("pad with negative widths",
        {"y = Pad(x, p)",
         {{"x", counting({3, 3})}, {"p", integerTensor({-1, 0, 1, -2})}},
         13,
         {"p"}},
        floats({3, 1}, {3, 6, 0}));
    row("pad reflect",
        {"y = Pad<mode = \"reflect\">(x, p)",
         {{"x", counting({1, 3})}, {"p", integerTensor({0, 2, 0, 1})}},
         13,
         {"p"}},
        floats({1, 6}, {2, 1, 0, 1, 2, 1}));
    row("pad reflect what negative widths leave",
        {"y = Pad<mode = \"reflect\">(x, p)",
         {{"x", counting({4})}, {"p", integerTensor({-1, 2})}},
         13,
         {"p"}},
        floats({5}, {1, 2, 3, 2, 1}));
    row("pad wrap what negative widths leave",
        {"y = Pad<mode = \"wrap\">(x, p)",
         {{"x", counting({4})}, {"p", integerTensor({-1, 2})}},
         19,
         {"p"}},
        floats({5}, {1, 2, 3, 1, 2}));
    row("pad edge",
        {"y = Pad<mode = \"edge\">(x, p)",
         {{"x", counting({2, 2})}, {"p", integerTensor({1, 0, 0, 1})}},
         13,
         {"p"}},
        floats({3, 3}, {0, 1, 1, 0, 1, 1, 2, 3, 3}));
    row("pad wrap",
        {"y = Pad<mode = \"wrap\">(x, p)",
         {{"x", counting({3})}, {"p", integerTensor({2, 1})}},
         19,
         {"p"}},
        floats({6}, {1, 2, 0, 1, 2, 0}));
    row("tile",
        {"y = Tile(x, r)", {{"x", counting({2, 1})}, {"r", integerTensor({2, 3})}}, 13, {"r"}},
        floats({4, 3}, {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}));
    row("tile zero times",
        {"y = Tile(x, r)", {{"x", counting({2})}, {"r", integerTensor({0})}}, 13, {"r"}},
        Tensor(DType::Float32, {0}));
    row("expand both ways",
        {"y = Expand(x, s)", {{"x", counting({3, 1})}, {"s", integerTensor({2, 1, 2})}}, 13, {"s"}},
        floats({2, 3, 2}, {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
    row("transpose", {"y = Transpose<perm = [2, 0, 1]>(x)", {{"x", counting({2, 1, 3})}}},
        floats({3, 2, 1}, {0, 3, 1, 4, 2, 5}));
    row("depth to space, CRD",
        {"y = DepthToSpace<blocksize = 2, mode = \"CRD\">(x)", {{"x", counting({1, 4, 1, 2})}}, 13},
        floats({1, 1, 2, 4}, {0, 2, 1, 3, 4, 6, 5, 7}));
    row("space to depth",
        {"y = SpaceToDepth<blocksize = 2>(x)", {{"x", counting({1, 1, 2, 4})}}, 13},
        floats({1, 4, 1, 2}, {0, 2, 1, 3, 4, 6, 5, 7}));
    row("concat of empty and filled",
        {"y = Concat<axis = -1>(a, b, c)",
         {{"a", counting({2, 1})}, {"b", Tensor(DType::Float32, {2, 0})}, {"c", counting({2, 2})}}},
        floats({2, 3}, {0, 0, 1, 1, 2, 3}));
    row("upper triangle",
        {"y = Trilu(x, k)", {{"x", counting({3, 3})}, {"k", Tensor::scalar<int64_t>(1)}}},
        floats({3, 3}, {0, 1, 2, 0, 0, 5, 0, 0, 0}));
    row("lower triangle", {"y = Trilu<upper = 0>(x)", {{"x", counting({2, 3})}}},
        floats({2, 3}, {0, 0, 0, 3, 4, 0}));
    row("reverse sequence, batch first",
        {"y = ReverseSequence<batch_axis = 0, time_axis = 1>(x, n)",
         {{"x", counting({2, 3})}, {"n", integerTensor({1, 3})}}},
        floats({2, 3}, {0, 1, 2, 5, 4, 3}));
    row("slice gradient with a negative step",
        {"y = com.microsoft.SliceGrad(d, n, s, e, a, t)",
         {{"d", counting({2})},
          {"n", integerTensor({5})},
          {"s", integerTensor({3})},
          {"e", integerTensor({0})},
          {"a", integerTensor({0})},
          {"t", integerTensor({-2})}},
         13,
         {"n", "s", "e", "a", "t"}},
        floats({5}, {0, 1, 0, 0, 0}));
    row("eye", {"y = EyeLike<k = -1>(x)", {{"x", counting({2, 3})}}},
        floats({2, 3}, {0, 0, 0, 1, 0, 0}));
}

void ShapeTest::valuesAreThoseOfTheDefinition() {
    QFETCH(OpCase, opCase);
    QFETCH(Tensor, expected);
    QCOMPARE(checkOutput(opCase, "y", expected, {0, 0}), std::string());
}

void ShapeTest::largeMovesAreTheSameForAnyNumberOfThreads_data() {
    QTest::addColumn<OpCase>("opCase");
    addCase("transpose of a matrix", {"y = Transpose(x)", {{"x", randomTensor({513, 700})}}});
    addCase("transpose of inner axes",
            {"y = Transpose<perm = [0, 2, 3, 1]>(x)", {{"x", randomTensor({3, 40, 33, 35})}}});
    addCase("long row",
            {"y = Slice<starts = [1], ends = [199999]>(x)", {{"x", randomTensor({200000})}}, 9});
    addCase("concat", {"y = Concat<axis = 1>(a, b)",
                       {{"a", randomTensor({70, 300})}, {"b", randomTensor({70, 500})}}});
    addCase("every other element", {"y = Slice(x, s, e, a, t)",
                                    {{"x", randomTensor({50, 4001})},
                                     {"s", integerTensor({0})},
                                     {"e", integerTensor({4001})},
                                     {"a", integerTensor({1})},
                                     {"t", integerTensor({2})}},
                                    13,
                                    {"s", "e", "a", "t"}});
}

/// Index by index, from the definition.
static float elementAt(const Tensor& tensor, const Shape& index) {
    const Shape strides = stridesOf(tensor.shape());
    int64_t place = 0;
    for (size_t i = 0; i < index.size(); ++i) place += strides[i] * index[i];
    return tensor.values<float>()[static_cast<size_t>(place)];
}

void ShapeTest::largeMovesAreTheSameForAnyNumberOfThreads() {
    QFETCH(OpCase, opCase);
    const Tensor one = runOp(opCase).at("y");
    const Tensor four = runOp(opCase, {.threads = 4}).at("y");
    QCOMPARE(difference(four, one, {0, 0}), std::string());
    if (opCase.nodes.find("Transpose(") == std::string::npos) return;
    const Tensor& x = opCase.feeds.at("x").tensors.front();
    for (int64_t i = 0; i < one.shape()[0]; i += 7) {
        for (int64_t k = 0; k < one.shape()[1]; ++k) {
            QCOMPARE(elementAt(one, {i, k}), elementAt(x, {k, i}));
        }
    }
}

// The table of spec gradient_tests section 8, and cases that it lacks.
void ShapeTest::gradientMatchesDifferences_data() {
    QTest::addColumn<OpCase>("opCase");
    QTest::addColumn<bool>("symbolic");
    const auto row = [](const char* name, OpCase opCase, bool symbolic = true) {
        QTest::newRow(name) << opCase << symbolic;
    };
    row("Reshape", {"y = Reshape(x, s)",
                    {{"x", randomTensor({2, 3, 2})}, {"s", integerTensor({0, -1})}},
                    17,
                    {"s"}});
    row("Flatten", {"y = Flatten<axis = -1>(x)", {{"x", randomTensor({2, 3, 2})}}});
    row("Flatten everything", {"y = Flatten<axis = 0>(x)", {{"x", randomTensor({2, 3, 2})}}});
    row("Transpose", {"y = Transpose<perm = [1, 2, 0]>(x)", {{"x", randomTensor({2, 3, 4})}}});
    row("Transpose, reversed", {"y = Transpose(x)", {{"x", randomTensor({2, 3, 4})}}});
    row("Squeeze, opset 11",
        {"y = Squeeze<axes = [0, -1]>(x)", {{"x", randomTensor({1, 2, 3, 1})}}, 11});
    row("Squeeze", {"y = Squeeze(x, a)",
                    {{"x", randomTensor({1, 2, 1, 3})}, {"a", integerTensor({0, 2})}},
                    13,
                    {"a"}});
    row("Squeeze without axes", {"y = Squeeze(x)", {{"x", randomTensor({1, 2, 1, 3})}}, 13}, false);
    row("Unsqueeze, opset 11",
        {"y = Unsqueeze<axes = [0, 3]>(x)", {{"x", randomTensor({2, 3})}}, 11});
    row("Unsqueeze", {"y = Unsqueeze(x, a)",
                      {{"x", randomTensor({2, 3})}, {"a", integerTensor({0, 2, 4})}},
                      13,
                      {"a"}});
    row("Expand", {"y = Expand(x, s)",
                   {{"x", randomTensor({1, 2, 3})}, {"s", integerTensor({3, 2, 1, 1})}},
                   13,
                   {"s"}});
    row("Expand of a scalar",
        {"y = Expand(x, s)", {{"x", randomTensor({})}, {"s", integerTensor({2, 3})}}, 13, {"s"}});
    row("Tile", {"y = Tile(x, r)",
                 {{"x", randomTensor({2, 2, 3})}, {"r", integerTensor({2, 3, 2})}},
                 13,
                 {"r"}});
    row("Tile, opset 11",
        {"y = Tile(x, r)", {{"x", randomTensor({2, 3})}, {"r", integerTensor({2, 2})}}, 11, {"r"}});
    row("Concat", {"y = Concat<axis = -1>(a, b, c)",
                   {{"a", randomTensor({2, 2})},
                    {"b", randomTensor({2, 4}, 2)},
                    {"c", randomTensor({2, 1}, 3)}},
                   13});
    row("Concat, opset 11", {"y = Concat<axis = 1>(a, b)",
                             {{"a", randomTensor({2, 2})}, {"b", randomTensor({2, 4}, 2)}},
                             11});
    row("Concat of a value with itself",
        {"y = Concat<axis = 0>(a, a)", {{"a", randomTensor({2, 2})}}, 13});
    row("ConcatTraining", {"y, n = com.microsoft.ConcatTraining<axis = 1>(a, b)",
                           {{"a", randomTensor({2, 2})}, {"b", randomTensor({2, 4}, 2)}},
                           13});
    row("Split", {"a, b = Split<axis = 1>(x, s)",
                  {{"x", randomTensor({2, 5})}, {"s", integerTensor({2, 3})}},
                  13,
                  {"s"}});
    row("Split with an unused part", {"a, b = Split<axis = 1>(x, s) y = Neg(b) u = Shape(a)",
                                      {{"x", randomTensor({2, 5})}, {"s", integerTensor({2, 3})}},
                                      13,
                                      {"s"}});
    row("Split, opset 9",
        {"a, b = Split<axis = 0, split = [1, 2]>(x)", {{"x", randomTensor({3, 2})}}, 9});
    row("Split, opset 18",
        {"a, b = Split<axis = 0, num_outputs = 2>(x)", {{"x", randomTensor({3, 2})}}, 18}, false);
    row("SplitTraining", {"a, b = com.microsoft.SplitTraining<axis = 1>(x, s)",
                          {{"x", randomTensor({2, 5})}, {"s", integerTensor({2, 3})}},
                          13,
                          {"s"}});
    row("Slice", {"y = Slice(x, s, e, a, t)",
                  {{"x", randomTensor({4, 5})},
                   {"s", integerTensor({3, 1})},
                   {"e", integerTensor({0, 5})},
                   {"a", integerTensor({0, -1})},
                   {"t", integerTensor({-2, 2})}},
                  13,
                  {"s", "e", "a", "t"}});
    row("Slice, opset 9",
        {"y = Slice<starts = [1], ends = [3], axes = [1]>(x)", {{"x", randomTensor({2, 4})}}, 9});
    row("Pad", {"y = Pad(x, p)",
                {{"x", randomTensor({2, 4})}, {"p", integerTensor({0, -2, 2, 1})}},
                13,
                {"p"}});
    row("Pad, opset 9", {"y = Pad<pads = [0, 1, 2, 0]>(x)", {{"x", randomTensor({2, 3})}}, 9});
    row("Pad with axes",
        {"y = Pad(x, p, \"\", a)",
         {{"x", randomTensor({2, 3})}, {"p", integerTensor({2, 1})}, {"a", integerTensor({-1})}},
         18,
         {"p", "a"}});
    row("Pad, ORT's case", {"y = Pad(x, p)",
                            {{"x", randomTensor({2, 4})}, {"p", integerTensor({0, 2, 2, 0})}},
                            18,
                            {"p"}});
    row("Pad, ORT's case that cuts",
        {"y = Pad<mode = \"constant\">(x, p)",
         {{"x", randomTensor({2, 4})}, {"p", integerTensor({0, -2, 2, 0})}},
         18,
         {"p"}});
    const auto repeats = [&](const char* name, const char* mode, const Shape& x,
                             std::initializer_list<int64_t> widths, int64_t opset = 13) {
        row(name, {std::string("y = Pad<mode = \"") + mode + "\">(x, p)",
                   {{"x", randomTensor(x)}, {"p", integerTensor(widths)}},
                   opset,
                   {"p"}});
    };
    repeats("Pad reflect", "reflect", {3, 4}, {1, 2, 0, 3});
    repeats("Pad reflect that cuts", "reflect", {4, 4}, {-1, 2, 2, -1});
    repeats("Pad edge", "edge", {2, 3}, {1, 0, 2, 3});
    repeats("Pad edge that cuts", "edge", {2, 4}, {1, -1, 2, 3});
    repeats("Pad edge of one element", "edge", {1, 1}, {1, 0, 2, 3});
    repeats("Pad wrap", "wrap", {3}, {2, 1}, 19);
    repeats("Pad wrap that cuts", "wrap", {2, 4}, {1, -1, 0, 2}, 19);
    for (const char* mode : {"reflect", "edge"}) {
        row(mode == std::string("edge") ? "Pad edge with axes" : "Pad reflect with axes",
            {std::string("y = Pad<mode = \"") + mode + "\">(x, p, \"\", a)",
             {{"x", randomTensor({2, 3})},
              {"p", integerTensor({2, 1})},
              {"a", integerTensor({-1})}},
             18,
             {"p", "a"}});
    }
    row("Pad reflect, opset 9",
        {"y = Pad<mode = \"reflect\", pads = [1, 0, 1, 2]>(x)", {{"x", randomTensor({3, 3})}}, 9},
        false);
    row("DepthToSpace, DCR",
        {"y = DepthToSpace<blocksize = 2>(x)", {{"x", randomTensor({1, 8, 2, 3})}}, 13});
    row("DepthToSpace, CRD",
        {"y = DepthToSpace<blocksize = 2, mode = \"CRD\">(x)",
         {{"x", randomTensor({1, 8, 2, 3})}},
         13},
        false);
    row("SpaceToDepth",
        {"y = SpaceToDepth<blocksize = 2>(x)", {{"x", randomTensor({1, 2, 4, 6})}}, 13});
    row("SpaceToDepth, CRD", {"y = SpaceToDepth<blocksize = 2, mode = \"CRD\">(x)",
                              {{"x", randomTensor({1, 2, 4, 6})}},
                              28});
    row("Trilu", {"y = Trilu<upper = 0>(x, k)",
                  {{"x", randomTensor({2, 3, 4})}, {"k", Tensor::scalar<int64_t>(-1)}},
                  14,
                  {"k"}});
    row("Trilu of ORT", {"y = com.microsoft.Trilu(x)", {{"x", randomTensor({3, 4})}}});
    const auto scalar = [](float number) { return Tensor::scalar(number); };
    row("Range", {"y = Range(a, b, c)",
                  {{"a", scalar(-0.35F)}, {"b", scalar(2)}, {"c", scalar(0.41F)}},
                  13,
                  {"b"}});
    row("Range backwards", {"y = Range(a, b, c)",
                            {{"a", scalar(1)}, {"b", scalar(-0.95F)}, {"c", scalar(-0.5F)}},
                            13,
                            {"b"}});
    row("ReverseSequence", {"y = ReverseSequence<batch_axis = 0, time_axis = 1>(x, n)",
                            {{"x", randomTensor({2, 3, 2})}, {"n", integerTensor({2, 3})}}});
}

void ShapeTest::gradientMatchesDifferences() {
    QFETCH(OpCase, opCase);
    QFETCH(bool, symbolic);
    QCOMPARE(checkGradient(opCase, {.alsoSymbolic = symbolic}), std::string());
}

void ShapeTest::symbolicShapesFollowTheNodes_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* inputs, const char* nodes,
                        const char* expected) {
        QTest::newRow(name) << QString("g (%1) => (y) {%2}").arg(inputs, nodes) << expected;
    };
    row("flatten keeps the batch", "float[N, 3, 4] x", "y = Flatten(x)", "float32[N, 12]");
    row("flatten multiplies symbols", "float[N, T, 4] x", "y = Flatten<axis = 2>(x)",
        "float32[N*T, 4]");
    row("view with a batch size taken from the shape, as PyTorch exports it", "float[N, 3, 4] x",
        "s = Shape(x) i = Constant<value = int64 {0}>() n = Gather(s, i)"
        "a = Constant<value_ints = [0]>() n1 = Unsqueeze(n, a)"
        "m = Constant<value_ints = [-1]>() t = Concat<axis = 0>(n1, m) y = Reshape(x, t)",
        "float32[N, 12]");
    row("heads split off", "float[N, T, 768] x",
        "s = Shape<start = 0, end = 2>(x) h = Constant<value_ints = [12, -1]>()"
        "t = Concat<axis = 0>(s, h) y = Reshape(x, t)",
        "float32[N, T, 12, 64]");
    row("zero keeps a dimension", "float[N, 3, 4] x",
        "t = Constant<value_ints = [0, -1]>() y = Reshape(x, t)", "float32[N, 12]");
    row("all dimensions into one and back", "float[N, T, 4] x",
        "a = Constant<value_ints = [-1, 4]>() f = Reshape(x, a) s = Shape(x) y = Reshape(f, s)",
        "float32[N, T, 4]");
    row("slice of a shape", "float[N, 3, 4] x",
        "s = Shape(x) b = Constant<value_ints = [1]>() e = Constant<value_ints = [3]>()"
        "d = Slice(s, b, e) y = ConstantOfShape(d)",
        "float32[3, 4]");
    row("range to a symbolic limit", "float[N, T] x",
        "s = Shape(x) i = Constant<value = int64 {1}>() n = Gather(s, i)"
        "z = Constant<value = int64 {0}>() o = Constant<value = int64 {1}>() y = Range(z, n, o)",
        "int64[T]");
    row("expand by a symbol", "float[N, 3] x, float[1, 3] w", "s = Shape(x) y = Expand(w, s)",
        "float32[N, 3]");
    row("tile of a symbol", "float[N, 3] x", "r = Constant<value_ints = [2, 2]>() y = Tile(x, r)",
        "float32[2*N, 6]");
    row("concat along another axis", "float[N, 3] a, float[N, 4] b", "y = Concat<axis = 1>(a, b)",
        "float32[N, 7]");
    row("unknown target of known length", "float[N, 3] x, int64[3] s", "y = Reshape(x, s)",
        "float32[?, ?, ?]");
    row("a sequence of parts of one size", "float[6, N] x",
        "p = Constant<value = int64 {2}>() y = SplitToSequence(x, p)", "seq(float32[2, N])");
    row("a sequence of rows", "float[6, N] x", "y = SplitToSequence<keepdims = 0>(x)",
        "seq(float32[N])");
    row("a sequence that is joined", "float[N, 3] x",
        "s = SequenceConstruct(x, x) y = ConcatFromSequence<axis = 1>(s)", "float32[N, ?]");
    row("a sequence that is stacked", "float[N, 3] x",
        "s = SequenceConstruct(x, x) y = ConcatFromSequence<axis = -1, new_axis = 1>(s)",
        "float32[N, 3, ?]");
    row("a mapped sequence", "float[N, 3] x",
        "s = SequenceConstruct(x, x) y = SequenceMap<body = f (u) => (v) { v = Shape(u) }>(s)",
        "seq(int64[2])");
    row("an optional", "float[N, 3] x", "y = Optional(x)", "optional(float32[N, 3])");
    row("the content of an optional", "float[N, 3] x", "o = Optional(x) y = OptionalGetElement(o)",
        "float32[N, 3]");
    row("class token in front of patches", "float[N, 196, 768] x, float[1, 1, 768] c",
        "s = Shape(x) i = Constant<value_ints = [0]>() n = Gather(s, i)"
        "m = Constant<value_ints = [-1, -1]>() o = Constant<value_ints = [1, 768]>()"
        "t = Concat<axis = 0>(n, o) e = Expand(c, t) y = Concat<axis = 1>(e, x)",
        "float32[N, 197, 768]");
}

void ShapeTest::symbolicShapesFollowTheNodes() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const auto graph = parseText(text.toStdString());
    for (const Finding& finding : inferTypes(*graph, ops().catalog)) {
        QFAIL(finding.message.c_str());
    }
    QCOMPARE(QString::fromStdString(formatType(graph->at("y")->type())), expected);
}

void ShapeTest::contradictionsAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* inputs, const char* nodes,
                        const char* message) {
        QTest::newRow(name) << QString("g (%1) => (y) {%2}").arg(inputs, nodes) << message;
    };
    row("reshape to another size", "float[2, 3] x",
        "t = Constant<value_ints = [4, 2]>() y = Reshape(x, t)",
        "Input [2, 3] can't be reshaped to [4, 2]: the numbers of elements differ.");
    row("reshape to no multiple", "float[2, 3] x",
        "t = Constant<value_ints = [4, -1]>() y = Reshape(x, t)", "are not a multiple of 4");
    row("two open dimensions", "float[2, 3] x",
        "t = Constant<value_ints = [-1, -1]>() y = Reshape(x, t)", "The shape holds -1 twice");
    row("squeeze of 3", "float[2, 3] x", "a = Constant<value_ints = [1]>() y = Squeeze(x, a)",
        "Axis 1 of input [2, 3] is squeezed; expected a dimension of 1.");
    row("transpose of another rank", "float[2, 3] x", "y = Transpose<perm = [0, 2, 1]>(x)",
        "Permutation [0, 2, 1] does not fit input [2, 3]");
    row("concat of other shapes", "float[2, 3] a, float[3, 3] b", "y = Concat<axis = 1>(a, b)",
        "are 2 and 3; expected equal numbers");
    row("split into parts of another sum", "float[5] x",
        "s = Constant<value_ints = [2, 2]>() y, z = Split(x, s)",
        "The parts have 4 elements in total; expected 5");
    row("pads of another rank", "float[2, 3] x",
        "p = Constant<value_ints = [1, 1]>() y = Pad(x, p)", "Pad has 2 widths; expected 4");
    row("a block that no tensor has", "float[1, 4, 2, 2] x",
        "y = SpaceToDepth<blocksize = 4294967296>(x)",
        "Attribute 'blocksize' is 4294967296; expected at most 1048576.");
    row("step of zero", "float[2, 3] x",
        "s = Constant<value_ints = [0]>() y = Slice(x, s, s, s, s)", "A step of Slice is 0");
    row("a sequence as ends", "float[2, 3] x, int64[1] a",
        "s = SequenceConstruct(a) y = Slice(x, a, s)",
        "Input 2 has the type seq(int64[1]); expected a tensor.");
    row("a sequence from a branch as ends", "float[2, 3] x, int64[1] a, bool[] c",
        "s = If<then_branch = t () => (u) { u = SequenceConstruct(a) }, "
        "else_branch = e () => (v) { v = SequenceConstruct(a) }>(c) y = Slice(x, a, s)",
        "Input 2 has the type seq(int64[1]); expected a tensor.");
    row("a map over a tensor", "float[2, 3] x",
        "y = SequenceMap<body = f (u) => (v) { v = Neg(u) }>(x)",
        "Input 0 has the type float32[2, 3]; expected a sequence of tensors.");
    row("an optional as a tensor", "float[2, 3] x", "o = Optional(x) y = Neg(o)",
        "Input 0 has the type optional(float32[2, 3]); expected a tensor.");
    row("parts along a missing axis", "float[2, 3] x", "y = SplitToSequence<axis = 2>(x)",
        "Axis 2 is outside a tensor of rank 2");
    row("tensors of other types in a sequence", "float[2, 3] x, int64[1] a",
        "s = SequenceConstruct(x) y = SequenceInsert(s, a)",
        "has the element type int64; expected float32");
    row("the length of a tensor", "float[2, 3] x", "y = SequenceLength(x)",
        "Input 0 has the type float32[2, 3]; expected a sequence of tensors.");
}

void ShapeTest::contradictionsAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    const auto graph = parseText(text.toStdString());
    const std::vector<Finding> findings = inferTypes(*graph, ops().catalog);
    QCOMPARE(findings.size(), size_t{1});
    QCOMPARE(findings[0].code, std::string("T002"));
    QVERIFY2(QString::fromStdString(findings[0].message).contains(message),
             findings[0].message.c_str());
}

void ShapeTest::viewsCopyNothing() {
    const auto graph = parseText(R"(
        g (float[2, 3, 1] x) => (y) {
            t = Constant<value_ints = [3, -1]>()
            a = Reshape(x, t)
            b = Flatten(a)
            c = Transpose<perm = [2, 0, 1]>(x)
            d = Squeeze(c)
            y, z = com.microsoft.ConcatTraining<axis = 0>(b)
            w = Concat<axis = 0>(d)
        })");
    const auto plan = ExecutionPlan::compile(*graph, {{"x", {{DType::Float32, {2, 3, 1}}}}},
                                             ops().catalog, ops().cpuKernels);
    // Only ConcatTraining, which also outputs the lengths, is called.
    QCOMPARE(plan->steps().size(), size_t{1});
}

void ShapeTest::broadcastGradientArgsNamesTheSummedAxes_data() {
    QTest::addColumn<Shape>("a");
    QTest::addColumn<Shape>("b");
    QTest::addColumn<Shape>("axesOfA");
    QTest::addColumn<Shape>("axesOfB");
    // Spec training_ops section 10: the cases of ORT's own tests.
    const auto row = [](const char* name, Shape a, Shape b, Shape axesOfA, Shape axesOfB) {
        QTest::newRow(name) << a << b << axesOfA << axesOfB;
    };
    row("batch and channels", {2, 16, 1024, 1024}, {1, 1, 1024, 1024}, {}, {1, 0});
    row("both", {2, 16, 1, 1024}, {1, 1, 1024, 1024}, {2}, {1, 0});
    row("equal", {2, 3, 4, 5}, {2, 3, 4, 5}, {}, {});
    row("scalar", {2, 3, 4, 5}, {}, {}, {3, 2, 1, 0});
    row("vector", {2, 3, 4, 5}, {5}, {}, {2, 1, 0});
    row("smaller first", {4, 5}, {2, 3, 4, 5}, {1, 0}, {});
    row("both sides", {1, 4, 5}, {2, 3, 1, 1}, {1, 0}, {3, 2});
    row("column", {3, 4, 5}, {2, 1, 1, 1}, {0}, {3, 2, 1});
}

void ShapeTest::broadcastGradientArgsNamesTheSummedAxes() {
    QFETCH(Shape, a);
    QFETCH(Shape, b);
    QFETCH(Shape, axesOfA);
    QFETCH(Shape, axesOfB);
    const auto vector = [](const Shape& v) {
        return Tensor::of<int64_t>({static_cast<int64_t>(v.size())}, std::span<const int64_t>(v));
    };
    const Results axes = runOp({"p, q = com.microsoft.BroadcastGradientArgs(a, b)",
                                {{"a", vector(a)}, {"b", vector(b)}},
                                17,
                                {"a", "b"}});
    QCOMPARE(difference(axes.at("p"), vector(axesOfA), {}), std::string());
    QCOMPARE(difference(axes.at("q"), vector(axesOfB), {}), std::string());
}

void ShapeTest::sequencesAreTheMemoryOfTheirElements() {
    const Results results =
        runOp({"s = SequenceConstruct(a, b) n = SequenceLength(s) y = SequenceAt(s, i)",
               {{"a", counting({2})}, {"b", randomTensor({2})}, {"i", Tensor::scalar<int64_t>(-2)}},
               17,
               {"i"}});
    QCOMPARE(results.at("n").toInt64(), int64_t{2});
    QCOMPARE(difference(results.at("y"), counting({2}), {0, 0}), std::string());
}

/// What a condition makes of sequences in its branches.
void ShapeTest::theIdentityOfASequenceIsItsElements() {
    const Results results =
        runOp({"s = SequenceConstruct(a, b) t = Identity(s) n = SequenceLength(t) "
               "y = SequenceAt(t, i)",
               {{"a", counting({2})}, {"b", randomTensor({2})}, {"i", Tensor::scalar<int64_t>(0)}},
               17,
               {"i"}});
    QCOMPARE(results.at("n").toInt64(), int64_t{2});
    QCOMPARE(difference(results.at("y"), counting({2}), {0, 0}), std::string());
}

QTEST_APPLESS_MAIN(ShapeTest)
#include "shape_ops_test.moc"
