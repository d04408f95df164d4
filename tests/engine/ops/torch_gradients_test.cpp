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
    for (const RecordedCase& each : kCases) QTest::newRow(each.name) << QString(each.nodes);
}

void TorchGradientsTest::resultsAndGradientsAreThoseOfPyTorch() {
    QFETCH(QString, nodes);
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
    const TrainingResults found = trainingResults(opCase, names);
    QCOMPARE(difference(found.y, y, {1e-10, 1e-12}), std::string());
    for (const auto& [name, gradient] : gradients) {
        const std::string problem = difference(found.gradients.at(name), gradient, {1e-9, 1e-11});
        QVERIFY2(problem.empty(), (name + ": " + problem).c_str());
    }
}

QTEST_APPLESS_MAIN(TorchGradientsTest)
#include "torch_gradients_test.moc"
