// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/data/npz_file.h"
#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

namespace {

/// PyTorch's results, from make_torch_gradients.py beside this file.
const std::map<std::string, Tensor>& record() {
    static const std::map<std::string, Tensor> kArrays = readNpz(
        std::filesystem::path(TEMPER_SOURCE_DIR) / "tests/engine/ops/data/torch_gradients.npz");
    return kArrays;
}

/// The arrays below a prefix, by the rest of their names.
Results recordOf(const std::string& prefix) {
    Results part;
    for (const auto& [name, tensor] : record()) {
        if (name.starts_with(prefix)) part.emplace(name.substr(prefix.size()), tensor);
    }
    return part;
}

struct RecordedCase {
    const char* name;
    const char* nodes;
};

constexpr RecordedCase kCases[] = {
    {"one_hot", "y = OneHot<axis = 1>(i, d, v)"},
    {"range", "y = Range(s, e, t)"},
    {"unique", "y = Unique(x)"},
    {"unique_rows", "y = Unique<axis = 0, sorted = 0>(x)"},
    {"floor", "c = Constant<value = double {3}>() t = Mul(x, c) f = Floor(t) y = Mul(f, x)"},
    {"ceil", "c = Constant<value = double {3}>() t = Mul(x, c) f = Ceil(t) y = Mul(f, x)"},
    {"round", "c = Constant<value = double {3}>() t = Mul(x, c) f = Round(t) y = Mul(f, x)"},
    {"sign", "c = Constant<value = double {3}>() t = Mul(x, c) f = Sign(t) y = Mul(f, x)"},
    {"hardmax", "f = Hardmax(x) y = Mul(f, x)"},
    {"bernoulli",
     "c = Constant<value = double {2}>() t = Add(x, c) f = Bernoulli(x) y = Mul(f, t)"},
    {"dynamic_pair",
     "q, s, z = DynamicQuantizeLinear(x) d = DequantizeLinear(q, s, z) y = Tanh(d)"},
    {"matmul_integer",
     "q, s, z = DynamicQuantizeLinear(x) i = MatMulInteger(q, k, z, kz) c = Cast<to = 11>(i) "
     "t = Mul(s, ks) m = Mul(c, t) y = Tanh(m)"},
    {"conv_integer",
     "q, s, z = DynamicQuantizeLinear(x) i = ConvInteger<pads = [1, 0, 0, 1]>(q, k, z, kz) "
     "c = Cast<to = 11>(i) t = Mul(s, ks) m = Mul(c, t) y = Tanh(m)"},
    {"dynamic_quantize_matmul",
     "m = com.microsoft.DynamicQuantizeMatMul(x, k, ks, kz, b) y = Tanh(m)"},
    {"qlinear_matmul",
     "q = QuantizeLinear(x, s, z) p = QLinearMatMul(q, s, z, k, ks, kz, r, u) "
     "d = DequantizeLinear(p, r, u) y = Tanh(d)"},
    {"qlinear_matmul_trained",
     "q = QuantizeLinear(x, s, z) k = QuantizeLinear(m, ks, kz) "
     "p = QLinearMatMul(q, s, z, k, ks, kz, r, u) d = DequantizeLinear(p, r, u) y = Tanh(d)"},
    {"qlinear_conv",
     "q = QuantizeLinear(x, s, z) "
     "p = QLinearConv<pads = [1, 0, 0, 1]>(q, s, z, k, ks, kz, r, u, b) "
     "d = DequantizeLinear(p, r, u) y = Tanh(d)"},
    {"qgemm",
     "q = QuantizeLinear(x, s, z) "
     "p = com.microsoft.QGemm<transB = 1, alpha = 0.5>(q, s, z, k, ks, kz, b, r, u) "
     "d = DequantizeLinear(p, r, u) y = Tanh(d)"},
    {"qlinear_add",
     "q = QuantizeLinear(a, s, z) k = QuantizeLinear(b, r, u) "
     "p = com.microsoft.QLinearAdd(q, s, z, k, r, u, r, u) "
     "d = DequantizeLinear(p, r, u) y = Tanh(d)"},
    {"qlinear_sigmoid",
     "q = QuantizeLinear(x, s, z) p = com.microsoft.QLinearSigmoid(q, s, z, r, u) "
     "y = DequantizeLinear(p, r, u)"},
};

/// Differentiated without sequences and optionals, as training does.
constexpr RecordedCase kSequenceCases[] = {
    {"split_sizes",
     "zero = Constant<value = int64 {0}>() one = Constant<value = int64 {1}>() "
     "q = SplitToSequence<axis = 1>(x, sizes) l = SequenceAt(q, zero) r = SequenceAt(q, one) "
     "y = Mul(l, r)"},
    {"split_shorter_last",
     "zero = Constant<value = int64 {0}>() two = Constant<value = int64 {2}>() "
     "q = SplitToSequence(x, size) u = SequenceAt(q, two) v = SequenceAt(q, zero) "
     "r = SequenceConstruct(u, v) y = ConcatFromSequence<axis = 0>(r)"},
    {"split_rows", "q = SplitToSequence(x) r = SequenceAt(q, i) y = Tanh(r)"},
    {"split_columns",
     "q = SplitToSequence<axis = 1, keepdims = 0>(x) u = SequenceAt(q, i) v = SequenceAt(q, j) "
     "y = Mul(u, v)"},
    {"sequence_length",
     "q = SplitToSequence(x, size) n = SequenceLength(q) f = Cast<to = 11>(n) "
     "c = ConcatFromSequence<axis = 0>(q) t = Tanh(c) y = Div(t, f)"},
    {"sequence_at", "q = SequenceConstruct(a, b, a) r = SequenceAt(q, i) y = Mul(r, b)"},
    {"sequence_at_data",
     "p = Mul(a, b) q = SequenceConstruct(a, b, p) i = ArgMax<axis = 0, keepdims = 0>(x) "
     "r = SequenceAt(q, i) s = ReduceSum<keepdims = 0>(x) y = Mul(r, s)"},
    {"sequence_insert",
     "q = SequenceConstruct(a, b) r = SequenceInsert(q, c, i) s = SequenceInsert(r, a) "
     "t = ConcatFromSequence<axis = 0>(s) y = Tanh(t)"},
    {"sequence_erase",
     "q = SequenceConstruct(a, b, c) r = SequenceErase(q, i) "
     "s = ConcatFromSequence<axis = 0>(r) y = MatMul(s, b)"},
    {"sequence_erase_last",
     "p = Mul(a, b) q = SequenceConstruct(a, p, b) r = SequenceErase(q) "
     "y = ConcatFromSequence<axis = 1>(r)"},
    {"sequence_empty",
     "zero = Constant<value = int64 {0}>() e = SequenceEmpty<dtype = 11>() "
     "q = SequenceInsert(e, a) r = SequenceInsert(q, b, zero) "
     "s = ConcatFromSequence<axis = 0>(r) y = Tanh(s)"},
    {"sequence_stack",
     "p = Mul(a, b) q = SequenceConstruct(a, b, p) "
     "s = ConcatFromSequence<axis = -1, new_axis = 1>(q) y = Sin(s)"},
    {"sequence_map",
     "q = SequenceConstruct(a, c) s = SequenceMap<body = f (u, v) => (r) { p = Mul(u, v) "
     "r = Tanh(p) }>(q, k) y = ConcatFromSequence<axis = 0>(s)"},
    {"sequence_map_pairs",
     "q = SequenceConstruct(a, c) r = SequenceConstruct(b, c) "
     "s, t = SequenceMap<body = f (u, v) => (m, n) { m = Add(u, v) n = Mul(u, v) }>(q, r) "
     "d = ConcatFromSequence<axis = 0>(s) e = ConcatFromSequence<axis = 0>(t) y = Mul(d, e)"},
    {"sequence_loop",
     "three = Constant<value = int64 {3}>() t = Constant<value = bool {1}>() "
     "e = SequenceEmpty<dtype = 11>() "
     "h, q = Loop<body = step (i, g, s, l) => (go, n, r) { go = Identity(g) p = Mul(s, k) "
     "n = Tanh(p) r = SequenceInsert(l, n) }>(three, t, a, e) "
     "y = ConcatFromSequence<axis = 0>(q)"},
    {"optional", "o = Optional(a) e = OptionalGetElement(o) y = Mul(e, b)"},
    {"optional_sequence",
     "one = Constant<value = int64 {1}>() q = SequenceConstruct(a, b) o = Optional(q) "
     "g = OptionalGetElement(o) e = SequenceAt(g, one) t = Tanh(e) y = Mul(t, a)"},
};

}  // namespace

/// Operators that few models differentiate, as PyTorch differentiates them.
class TorchGradientsTest : public QObject {
    Q_OBJECT

private slots:
    void resultsAndGradientsAreThoseOfPyTorch_data();
    void resultsAndGradientsAreThoseOfPyTorch();
};

void TorchGradientsTest::resultsAndGradientsAreThoseOfPyTorch_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<bool>("foldsSequences");
    for (const RecordedCase& each : kCases) {
        QTest::newRow(each.name) << QString(each.nodes) << false;
    }
    for (const RecordedCase& each : kSequenceCases) {
        QTest::newRow(each.name) << QString(each.nodes) << true;
    }
}

void TorchGradientsTest::resultsAndGradientsAreThoseOfPyTorch() {
    QFETCH(QString, nodes);
    QFETCH(bool, foldsSequences);
    const std::string prefix = std::string(QTest::currentDataTag()) + "/";
    const Results gradients = recordOf(prefix + "grad/");
    OpCase opCase{nodes.toStdString(), {}, 21};
    std::vector<std::string> names;
    for (const auto& [name, tensor] : recordOf(prefix + "in/")) {
        opCase.feeds.emplace(name, tensor);
        (gradients.contains(name) ? names : opCase.constants).push_back(name);
    }
    QVERIFY(!names.empty());
    const Tensor& y = record().at(prefix + "y");
    QCOMPARE(difference(runOp(opCase).at("y"), y, {1e-10, 1e-12}), std::string());
    opCase.feeds.emplace("w", record().at(prefix + "w"));
    const TrainingResults found = trainingResults(opCase, names, foldsSequences);
    QCOMPARE(difference(found.y, y, {1e-10, 1e-12}), std::string());
    for (const auto& [name, gradient] : gradients) {
        const std::string problem = difference(found.gradients.at(name), gradient, {1e-9, 1e-11});
        QVERIFY2(problem.empty(), (name + ": " + problem).c_str());
    }
}

QTEST_APPLESS_MAIN(TorchGradientsTest)
#include "torch_gradients_test.moc"
