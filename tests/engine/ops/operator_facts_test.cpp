// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

namespace {

QString nameOf(const OpInfo& info) {
    return QString::fromStdString(info.domain.empty() ? info.opType
                                                      : info.domain + "." + info.opType);
}

/// The operators with a fact, sorted.
template <typename Fact>
QStringList operatorsWith(const Fact& fact) {
    QStringList names;
    for (const OpInfo* info : ops().catalog.all()) {
        if (fact(info->facts)) names << nameOf(*info);
    }
    names.sort();
    return names;
}

/// A row for each operator; the map must contain exactly the operators with the fact.
void addRows(const std::map<QString, QString>& nodes, const QStringList& declared) {
    QTest::addColumn<QString>("nodes");
    QStringList compared;
    for (const auto& [name, text] : nodes) {
        compared << name;
        QTest::newRow(qPrintable(name)) << text;
    }
    compared.sort();
    QCOMPARE(declared, compared);
}

std::vector<double> sortedNumbers(const Tensor& tensor) {
    const Tensor wide = tensor.cast(DType::Float64);
    std::vector<double> numbers(wide.values<double>().begin(), wide.values<double>().end());
    std::ranges::sort(numbers);
    return numbers;
}

/// What is at place 1 of the last but one dimension, if there is one.
Tensor middleOf(const Tensor& tensor) {
    if (tensor.rank() < 2) return tensor;
    Shape shape = tensor.shape();
    const int64_t rows = std::exchange(shape[shape.size() - 2], 1);
    Tensor middle(tensor.dtype(), shape);
    const int64_t row = shape.back() * static_cast<int64_t>(dtypeSize(tensor.dtype()));
    for (int64_t i = 0; i < middle.numElements() / shape.back(); ++i)
        std::copy_n(tensor.data() + (i * rows + 1) * row, row, middle.mutableData() + i * row);
    return middle;
}

/// The last of the operator's nodes.
const Node& nodeOf(const Graph& graph) { return *graph.outputs().front()->producer(); }

/// The unit to which an element of a weight belongs.
int64_t unitOf(int64_t element, const Shape& shape, const UnitLayout& layout) {
    std::vector<int64_t> at(shape.size());
    for (size_t axis = shape.size(); axis-- > 0; element /= shape[axis])
        at[axis] = element % shape[axis];
    return at[0] / (shape[0] / layout.groups) * shape[layout.axis] + at[layout.axis];
}

/// The channels, along dimension 1, in which two outputs differ.
std::set<int64_t> differingChannels(const Tensor& a, const Tensor& b) {
    std::set<int64_t> channels;
    int64_t inner = 1;
    for (size_t i = 2; i < a.shape().size(); ++i) inner *= a.shape()[i];
    for (int64_t i = 0; i < a.numElements(); ++i) {
        if (a.values<float>()[i] != b.values<float>()[i]) channels.insert(i / inner % a.shape()[1]);
    }
    return channels;
}

}  // namespace

/// The catalog's facts about operators, compared with what their kernels do.
class OperatorFactsTest : public QObject {
    Q_OBJECT

private slots:
    void factsAreFoundByDomainAndType();
    void inputsWithFactsAreInputs();
    void whatMovesDataKeepsTheNumbers_data();
    void whatMovesDataKeepsTheNumbers();
    void whatMeasuresShapesReadsNoNumbers_data();
    void whatMeasuresShapesReadsNoNumbers();
    void partsOfElementwiseOperatorsFollowFromParts_data();
    void partsOfElementwiseOperatorsFollowFromParts();
    void whatIsFlatSomewhereHasAPlateau_data();
    void whatIsFlatSomewhereHasAPlateau();
    void aUnitOfTheWeightMakesOneChannel_data();
    void aUnitOfTheWeightMakesOneChannel();
    void otherWeightsHaveNoUnits();
    void whatIsRandomDependsOnTheSeed_data();
    void whatIsRandomDependsOnTheSeed();
};

void OperatorFactsTest::factsAreFoundByDomainAndType() {
    Graph graph;
    const auto familyOf = [&](const std::string& domain, const std::string& opType) {
        const Node* node =
            graph.addNode({.opType = opType, .inputs = {}, .outputs = {}, .domain = domain});
        return ops().catalog.facts(*node).family;
    };
    QCOMPARE(familyOf("", "Relu"), OperatorFamily::Activation);
    QCOMPARE(familyOf("ai.onnx", "Relu"), OperatorFamily::Activation);
    QCOMPARE(familyOf("com.microsoft", "FastGelu"), OperatorFamily::Activation);
    QCOMPARE(familyOf("", "FastGelu"), OperatorFamily::Other);
    QCOMPARE(familyOf("my.own", "Relu"), OperatorFamily::Other);
    QCOMPARE(familyOf("", "Unknown"), OperatorFamily::Other);
}

void OperatorFactsTest::inputsWithFactsAreInputs() {
    for (const OpInfo* info : ops().catalog.all()) {
        for (const auto& inputs : {info->facts.weightInputs, info->facts.statisticInputs}) {
            for (const size_t input : inputs)
                QVERIFY2(input < info->maxInputs, qPrintable(nameOf(*info)));
        }
        if (info->facts.scaleInput)
            QVERIFY2(*info->facts.scaleInput < info->maxInputs, qPrintable(nameOf(*info)));
    }
}

void OperatorFactsTest::whatMovesDataKeepsTheNumbers_data() {
    const std::map<QString, QString> nodes = {
        {"Identity", "y = Identity(x)"},
        {"Cast", "y = Cast<to = 11>(x)"},
        {"CastLike", "y = CastLike(x, other)"},
        {"Transpose", "y = Transpose<perm = [2, 0, 1]>(x)"},
        {"Reshape", "y = Reshape(x, shape)"},
        {"Flatten", "y = Flatten(x)"},
        {"Squeeze", "y = Squeeze(x)"},
        {"Unsqueeze", "y = Unsqueeze(x, axes)"},
        {"DequantizeLinear", "q = Cast<to = 3>(x) y = DequantizeLinear(q, one)"},
        {"com.microsoft.DequantizeLinear",
         "q = Cast<to = 3>(x) y = com.microsoft.DequantizeLinear(q, one, zero)"},
    };
    addRows(nodes, operatorsWith([](const OperatorFacts& facts) { return facts.movesData; }));
}

void OperatorFactsTest::whatMovesDataKeepsTheNumbers() {
    QFETCH(QString, nodes);
    Tensor x(DType::Float32, {3, 1, 4});
    for (int64_t i = 0; i < 12; ++i) x.mutableValues<float>()[i] = static_cast<float>(i * 7 % 12);
    const Results results = runOp({nodes.toStdString(),
                                   {{"x", x},
                                    {"other", Tensor::of<double>({1}, {0})},
                                    {"shape", integerTensor({2, 6})},
                                    {"axes", integerTensor({0, 2})},
                                    {"one", Tensor::of<float>({}, {1})},
                                    {"zero", Tensor::of<int8_t>({}, {0})}}});
    QCOMPARE(sortedNumbers(results.at("y")), sortedNumbers(x));
}

void OperatorFactsTest::whatMeasuresShapesReadsNoNumbers_data() {
    const std::map<QString, QString> nodes = {{"Shape", "y = Shape(x)"}, {"Size", "y = Size(x)"}};
    addRows(nodes, operatorsWith([](const OperatorFacts& facts) { return facts.measuresShape; }));
}

void OperatorFactsTest::whatMeasuresShapesReadsNoNumbers() {
    QFETCH(QString, nodes);
    const auto sizesOf = [&](float low, float high) {
        const Tensor x = randomTensor({2, 3}, 1, low, high);
        return sortedNumbers(runOp({nodes.toStdString(), {{"x", x}}}).at("y"));
    };
    QCOMPARE(sizesOf(0, 1), sizesOf(5, 9));
}

/// Those without a row of their own are called with the inputs that they need.
void OperatorFactsTest::partsOfElementwiseOperatorsFollowFromParts_data() {
    std::map<QString, QString> nodes = {
        {"com.microsoft.BiasGelu", "y = com.microsoft.BiasGelu(x, last)"},
        {"Mod", "y = Mod<fmod = 1>(x, b)"},
        {"Clip", "y = Clip(x, low, high)"},
        {"Cast", "y = Cast<to = 7>(x)"},
        {"Not", "p = Greater(x, b) y = Not(p)"},
        {"Where", "p = Greater(x, b) y = Where(p, x, b)"},
    };
    for (const char* op : {"Sum", "Min", "Max", "Mean"})
        nodes[op] = QString("y = %1(x, b)").arg(op);
    for (const char* op : {"And", "Or", "Xor"})
        nodes[op] = QString("p = Greater(x, b) q = Less(x, high) y = %1(p, q)").arg(op);
    for (const OpInfo* info : ops().catalog.all()) {
        if (!info->facts.isElementwise) continue;
        const QString name = nameOf(*info);
        nodes.try_emplace(name, "y = " + name + (info->minInputs == 1 ? "(x)" : "(x, b)"));
    }
    QVERIFY(nodes.size() > 60);
    addRows(nodes, operatorsWith([](const OperatorFacts& facts) { return facts.isElementwise; }));
}

void OperatorFactsTest::partsOfElementwiseOperatorsFollowFromParts() {
    QFETCH(QString, nodes);
    const std::map<std::string, Tensor> inputs{
        {"x", randomTensor({2, 3, 4}, 1, 0.2F, 2.0F)},
        {"b", randomTensor({3, 1}, 2, 0.5F, 1.5F)},
        {"last", randomTensor({4}, 3)},
        {"low", Tensor::of<float>({}, {0.5F})},
        {"high", Tensor::of<float>({}, {1})},
    };
    OpCase whole{nodes.toStdString(), {}, 24}, part = whole;
    for (const auto& [name, tensor] : inputs) {
        whole.feeds.insert_or_assign(name, tensor);
        part.feeds.insert_or_assign(name, middleOf(tensor));
    }
    const Tensor y = runOp(whole).at("y");
    QCOMPARE(y.shape(), Shape({2, 3, 4}));
    const std::string found = difference(runOp(part).at("y"), middleOf(y), {});
    QVERIFY2(found.empty(), found.c_str());
}

void OperatorFactsTest::whatIsFlatSomewhereHasAPlateau_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<bool>("isFlat");
    for (const OpInfo* info : ops().catalog.all()) {
        const bool isFunction = info->facts.family == OperatorFamily::Activation;
        if (!isFunction || info->minInputs > 1) {
            QVERIFY2(!info->facts.isFlatSomewhere, "it is not compared");
            continue;
        }
        const QString inputs = info->opType == "Clip" ? "x, low, high" : "x";
        QTest::newRow(qPrintable(nameOf(*info)))
            << "y = " + nameOf(*info) + "(" + inputs + ")" << info->facts.isFlatSomewhere;
    }
}

/// On [-4, 4], where doubles distinguish a bound from values that only approach it.
void OperatorFactsTest::whatIsFlatSomewhereHasAPlateau() {
    QFETCH(QString, nodes);
    QFETCH(bool, isFlat);
    constexpr int64_t kPoints = 512;
    Tensor x(DType::Float64, {kPoints});
    for (int64_t i = 0; i < kPoints; ++i)
        x.mutableValues<double>()[i] = static_cast<double>(i) / 64 - 4;
    const Results results = runOp(
        {nodes.toStdString(),
         {{"x", x}, {"low", Tensor::of<double>({}, {-1})}, {"high", Tensor::of<double>({}, {1})}},
         24});
    const auto y = results.at("y").values<double>();
    int64_t equal = 0, longest = 0;
    for (int64_t i = 1; i < kPoints; ++i) {
        equal = y[i] == y[i - 1] ? equal + 1 : 0;
        longest = std::max(longest, equal);
    }
    QCOMPARE(longest > kPoints / 16, isFlat);
}

void OperatorFactsTest::aUnitOfTheWeightMakesOneChannel_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QList<int64_t>>("input");
    QTest::addColumn<QList<int64_t>>("weight");
    const auto row = [](const char* name, const char* nodes, QList<int64_t> input,
                        QList<int64_t> weight) {
        QTest::newRow(name) << QString(nodes) << input << weight;
    };
    row("Conv", "y = Conv(x, w)", {2, 3, 5, 5}, {4, 3, 3, 3});
    row("Conv in groups", "y = Conv<group = 2>(x, w)", {2, 4, 6}, {6, 2, 3});
    row("ConvTranspose", "y = ConvTranspose(x, w)", {2, 3, 4, 4}, {3, 5, 2, 2});
    row("ConvTranspose in groups", "y = ConvTranspose<group = 2>(x, w)", {2, 4, 5}, {4, 3, 2});
    row("Gemm", "y = Gemm(x, w)", {2, 3}, {3, 5});
    row("Gemm, transposed", "y = Gemm<transB = 1>(x, w)", {2, 3}, {5, 3});
    row("MatMul", "y = MatMul(x, w)", {2, 3}, {3, 5});
    QCOMPARE(operatorsWith([](const OperatorFacts& facts) { return facts.unitLayout != nullptr; }),
             QStringList({"Conv", "ConvTranspose", "Gemm", "MatMul"}));
}

void OperatorFactsTest::aUnitOfTheWeightMakesOneChannel() {
    QFETCH(QString, nodes);
    QFETCH(QList<int64_t>, input);
    QFETCH(QList<int64_t>, weight);
    const Tensor w = randomTensor({weight.begin(), weight.end()}, 2, 0.5F, 1.0F);
    OpCase opCase{nodes.toStdString(),
                  {{"x", randomTensor({input.begin(), input.end()}, 1, 0.5F, 1.0F)}, {"w", w}}};
    const auto graph = graphOf(opCase);
    const auto layout = ops().catalog.facts(nodeOf(*graph)).unitsOf(nodeOf(*graph));
    QVERIFY(layout.has_value());
    const Tensor y = runOp(opCase).at("y");
    QCOMPARE(layout->count(w.shape()), y.shape()[1]);
    for (int64_t unit = 0; unit < y.shape()[1]; ++unit) {
        Tensor changed = w.clone();
        for (int64_t i = 0; i < w.numElements(); ++i) {
            if (unitOf(i, w.shape(), *layout) == unit) changed.mutableValues<float>()[i] += 1;
        }
        opCase.feeds.insert_or_assign("w", changed);
        QCOMPARE(differingChannels(y, runOp(opCase).at("y")), std::set<int64_t>{unit});
    }
}

void OperatorFactsTest::otherWeightsHaveNoUnits() {
    const auto hasUnits = [](const char* nodes, const Shape& input, const Shape& weight) {
        const auto graph =
            graphOf({nodes, {{"x", randomTensor(input)}, {"w", randomTensor(weight)}}});
        return ops().catalog.facts(nodeOf(*graph)).unitsOf(nodeOf(*graph)).has_value();
    };
    QVERIFY(!hasUnits("y = MatMul(x, w)", {2, 3, 4}, {2, 4, 5}));
    QVERIFY(!hasUnits("y = MatMul(x, w)", {2, 3}, {3}));
    QVERIFY(!hasUnits("y = Add(x, w)", {2, 3}, {2, 3}));
}

void OperatorFactsTest::whatIsRandomDependsOnTheSeed_data() {
    const std::map<QString, QString> nodes = {
        {"RandomNormal", "y = RandomNormal<shape = [64]>()"},
        {"RandomUniform", "y = RandomUniform<shape = [64]>()"},
        {"RandomNormalLike", "y = RandomNormalLike(x)"},
        {"RandomUniformLike", "y = RandomUniformLike(x)"},
        {"Bernoulli", "y = Bernoulli(x)"},
        {"Multinomial", "y = Multinomial<sample_size = 64>(x)"},
    };
    addRows(nodes, operatorsWith([](const OperatorFacts& facts) { return facts.isRandom; }));
}

void OperatorFactsTest::whatIsRandomDependsOnTheSeed() {
    QFETCH(QString, nodes);
    const OpCase opCase{nodes.toStdString(), {{"x", randomTensor({1, 64}, 1, 0.3F, 0.7F)}}};
    const Tensor first = runOp(opCase, {.seed = 1}).at("y");
    QVERIFY(difference(first, runOp(opCase, {.seed = 1}).at("y"), {}).empty());
    QVERIFY(!difference(first, runOp(opCase, {.seed = 2}).at("y"), {}).empty());
}

QTEST_APPLESS_MAIN(OperatorFactsTest)
#include "operator_facts_test.moc"
