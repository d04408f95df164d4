// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <limits>
#include <optional>

#include "engine/autodiff/gradient_graph.h"
#include "engine/core/error.h"
#include "engine/core/random.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/node_check.h"
#include "engine/onnx/operator_schema.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Every operator with inputs of any rank and of unexpected types: each node runs and is
/// differentiated, or is refused by an Error. Anything else would be a crash for a user.
class AnyShapeTest : public QObject {
    Q_OBJECT

private slots:
    void everyOperatorComputesOrRefuses_data();
    void everyOperatorComputesOrRefuses();
    void whatCanNotBeIsNamed_data();
    void whatCanNotBeIsNamed();
};

namespace {

constexpr size_t kMaxRank = 4;
constexpr int64_t kOpsets[] = {11, 17, 24};
constexpr int kRandomForms = 200;

/// The form of an input of a trial.
struct InputForm {
    DType dtype = DType::Float32;
    size_t rank = 0;
    int64_t size = 2;      ///< of each dimension
    double value = 1;      ///< of each element
    bool isKnown = false;  ///< an initializer
    bool isOpen = false;   ///< an input of any shape as far as the model declares

    Tensor tensor() const {
        const Shape shape(rank, size);
        const std::vector<float> elements(static_cast<size_t>(numElements(shape)),
                                          static_cast<float>(value));
        return Tensor::of<float>(shape, elements).cast(dtype);
    }
    QString text() const {
        return QString("%1 of rank %2 and size %3, all %4%5")
            .arg(QString::fromUtf8(dtypeName(dtype).data()))
            .arg(rank)
            .arg(size)
            .arg(value)
            .arg(isKnown  ? ", known"
                 : isOpen ? ", of any shape"
                          : "");
    }
};

struct Form {
    std::vector<InputForm> inputs;
    Attributes attributes;
    std::optional<InputForm> declared;  ///< the output's form as the model declares it
};

/// A minimal value for an attribute of this kind.
Attribute plainValue(const std::string& kind) {
    if (kind == "int") return int64_t{1};
    if (kind == "float") return 1.0F;
    if (kind == "string") return std::string("text");
    if (kind == "ints") return std::vector<int64_t>{1};
    if (kind == "floats") return std::vector<float>{1};
    if (kind == "strings") return std::vector<std::string>{"text"};
    if (kind == "type_proto") return ValueType{DType::Float32, SymbolicShape{Dim::of(2)}};
    return Tensor::of<float>({1}, {1});
}

/// Random forms, the same in each run.
class FormMaker {
public:
    explicit FormMaker(uint64_t seed) : random_(seed) {}

    Form make(const OperatorSchema& schema, size_t count) {
        Form form;
        const InputForm first = input();
        for (size_t i = 0; i < count; ++i)
            form.inputs.push_back(i == 0 || below(3) == 0 ? first : input());
        if (below(2) == 0) form.declared = input();
        for (const FormalAttribute& attribute : schema.attributes) {
            if (!attribute.isRequired && below(3) != 0) continue;
            form.attributes[attribute.name] = value(attribute.kind);
        }
        return form;
    }

private:
    int64_t below(int64_t end) { return random_.below(end); }

    InputForm input() {
        static constexpr DType kTypes[] = {DType::Float32, DType::Float32, DType::Int64,
                                           DType::Int32,   DType::Bool,    DType::Float16,
                                           DType::UInt8};
        static constexpr double kValues[] = {1, 1,  0,   -1,
                                             3, -7, 0.5, std::numeric_limits<float>::quiet_NaN()};
        InputForm form;
        form.dtype = kTypes[below(std::ssize(kTypes))];
        form.rank = static_cast<size_t>(below(kMaxRank + 1));
        form.size = below(4);
        const bool isWhole = !isFloating(form.dtype);
        form.value = kValues[below(std::ssize(kValues) - (isWhole ? 2 : 0))];
        form.isKnown = below(2) == 0;
        form.isOpen = below(4) == 0;
        return form;
    }

    Attribute value(const std::string& kind) {
        if (kind == "int") return number();
        if (kind == "float") return static_cast<float>(below(5)) / 2 - 1;
        if (kind != "ints") return plainValue(kind);
        std::vector<int64_t> numbers(static_cast<size_t>(below(4)));
        for (int64_t& each : numbers) each = number();
        return numbers;
    }

    int64_t number() {
        using Limits = std::numeric_limits<int64_t>;
        static constexpr int64_t kExtremes[] = {int64_t{1} << 62, Limits::max(), Limits::min()};
        return below(12) == 0 ? kExtremes[below(std::ssize(kExtremes))] : below(6) - 2;
    }

    Random random_;
};

/// Every rank of the first input with every rank of the others, of floats and integers.
std::vector<Form> formsOf(const OperatorSchema& schema, size_t count, uint64_t seed) {
    std::vector<Form> forms;
    Form plain;
    for (const FormalAttribute& attribute : schema.attributes) {
        if (attribute.isRequired) plain.attributes[attribute.name] = plainValue(attribute.kind);
    }
    for (size_t ranks = 0; ranks < (kMaxRank + 1) * (kMaxRank + 1); ++ranks) {
        for (size_t types = 0; types < 8; ++types) {
            const InputForm first{(types & 1) != 0 ? DType::Int64 : DType::Float32,
                                  ranks / (kMaxRank + 1)};
            const InputForm others{(types & 2) != 0 ? DType::Int64 : DType::Float32,
                                   ranks % (kMaxRank + 1), 2, 1, (types & 4) != 0};
            plain.inputs.assign(count, others);
            if (count > 0) plain.inputs.front() = first;
            forms.push_back(plain);
        }
    }
    FormMaker maker(seed);
    for (int i = 0; i < kRandomForms; ++i) forms.push_back(maker.make(schema, count));
    return forms;
}

/// A node with only the operator.
std::unique_ptr<Graph> graphOf(const OpInfo& op, size_t outputs, int64_t opset, const Form& form,
                               Feeds& feeds) {
    auto graph = std::make_unique<Graph>();
    graph->info().opsetImports = {{"", opset}};
    if (!op.domain.empty()) graph->info().opsetImports[op.domain] = 1;
    NodeSpec node{.opType = op.opType,
                  .inputs = {},
                  .outputs = {},
                  .attributes = form.attributes,
                  .domain = op.domain};
    for (const InputForm& input : form.inputs) {
        const std::string name = "x" + std::to_string(node.inputs.size());
        const Tensor data = input.tensor();
        if (input.isKnown) {
            node.inputs.push_back(graph->addInitializer(name, data));
        } else {
            std::optional<SymbolicShape> shape;
            if (!input.isOpen) shape = symbolicShape(data.shape());
            node.inputs.push_back(graph->addInput(name, {data.dtype(), std::move(shape), false}));
            feeds.emplace(name, data);
        }
    }
    for (size_t i = 0; i < outputs; ++i) node.outputs.push_back("y" + std::to_string(i));
    Node* added = graph->addNode(std::move(node));
    if (form.declared) {
        const Tensor data = form.declared->tensor();
        added->output(0)->setType({data.dtype(), symbolicShape(data.shape()), false});
    }
    graph->addOutput(added->output(0));
    return graph;
}

bool hasBody(const OperatorSchema& schema) {
    return std::ranges::any_of(schema.attributes, [](const FormalAttribute& attribute) {
        return attribute.isRequired && attribute.kind == "graph";
    });
}

void computeAndDifferentiate(const Graph& model, const Feeds& feeds) {
    checkNodes(model);
    const auto graph = model.clone();
    inferTypes(*graph, ops().catalog);
    Value* output = graph->outputs().front();
    if (!output->type().isKnown()) output->setType({DType::Float32, std::nullopt, false});
    std::vector<Value*> parameters;
    for (Value* input : graph->inputs()) {
        if (isFloating(input->type().dtype)) parameters.push_back(input);
    }
    if (isFloating(output->type().dtype) && !parameters.empty()) {
        tryGradients(*graph, ops().catalog, ops().gradients, graph->outputs(), parameters);
    }
    runGraph(model, feeds);
}

}  // namespace

void AnyShapeTest::everyOperatorComputesOrRefuses_data() {
    QTest::addColumn<QString>("domain");
    QTest::addColumn<QString>("type");
    for (const OpInfo* op : ops().catalog.all()) {
        const QString domain = QString::fromStdString(op->domain);
        const QString type = QString::fromStdString(op->opType);
        QTest::addRow("%s%s%s", qPrintable(domain), domain.isEmpty() ? "" : ".", qPrintable(type))
            << domain << type;
    }
}

void AnyShapeTest::everyOperatorComputesOrRefuses() {
    QFETCH(QString, domain);
    QFETCH(QString, type);
    const OpInfo* op = ops().catalog.find(domain.toStdString(), type.toStdString());
    for (const int64_t opset : kOpsets) {
        const auto schema = operatorSchemaOf(op->domain, op->opType, opset);
        if (!schema || hasBody(*schema)) continue;
        const size_t inputs = std::clamp(schema->inputs.size(), op->minInputs, op->maxInputs);
        const size_t outputs = std::max<size_t>(1, schema->outputs.size());
        const auto seed = static_cast<uint64_t>(type.size() + opset);
        for (const Form& form : formsOf(*schema, inputs, seed)) {
            Feeds feeds;
            QString problem;
            try {
                computeAndDifferentiate(*graphOf(*op, outputs, opset, form, feeds), feeds);
            } catch (const Error& error) {
                if (error.code() == ErrorCode::Internal) problem = error.what();
            } catch (const std::exception& error) {
                problem = error.what();
            }
            if (problem.isEmpty()) continue;
            for (const InputForm& input : form.inputs) problem += "\n    " + input.text();
            if (form.declared) problem += "\n    declared " + form.declared->text();
            QFAIL(qPrintable(QString("opset %1: %2").arg(opset).arg(problem)));
        }
    }
}

/// A node "y = op(x0, x1, ...)". Inputs without a shape may have any.
struct OddNode {
    std::string op;
    std::vector<std::pair<DType, std::optional<Shape>>> inputs;
    std::optional<Shape> declared;
};

void AnyShapeTest::whatCanNotBeIsNamed_data() {
    QTest::addColumn<OddNode>("odd");
    QTest::addColumn<QString>("message");
    const std::optional<Shape> any;
    QTest::newRow("a shape of floats")
        << OddNode{"Expand", {{DType::Float32, {{2, 3}}}, {DType::Float32, {{3}}}}, {{4, 2, 3}}}
        << "int32 or int64";
    QTest::newRow("a grid that is declared as a vector")
        << OddNode{"AffineGrid", {{DType::Float32, {{1, 2, 3}}}, {DType::Int64, any}}, {{7}}}
        << "needs the number of dimensions of its grid";
    QTest::newRow("a recurrent net of unknown size") << OddNode{"LSTM",
                                                                {{DType::Float32, {{5, 2, 4}}},
                                                                 {DType::Float32, {{1, 24, 4}}},
                                                                 {DType::Float32, any}},
                                                                any}
                                                     << "its hidden size is unknown";
}

void AnyShapeTest::whatCanNotBeIsNamed() {
    QFETCH(OddNode, odd);
    QFETCH(QString, message);
    Graph graph;
    graph.info().opsetImports = {{"", 20}};
    NodeSpec spec{.opType = odd.op, .inputs = {}, .outputs = {"y"}};
    for (const auto& [dtype, shape] : odd.inputs) {
        const std::string name = "x" + std::to_string(spec.inputs.size());
        ValueType type{dtype, std::nullopt, false};
        if (shape) type.shape = symbolicShape(*shape);
        spec.inputs.push_back(graph.addInput(name, std::move(type)));
    }
    Value* y = graph.addNode(std::move(spec))->output(0);
    if (odd.declared) y->setType({DType::Float32, symbolicShape(*odd.declared), false});
    graph.addOutput(y);
    std::vector<Finding> findings = inferTypes(graph, ops().catalog);
    if (findings.empty())
        findings = tryGradients(graph, ops().catalog, ops().gradients, {y}, {graph.inputs()[0]});
    QCOMPARE(findings.size(), size_t{1});
    QVERIFY2(QString::fromStdString(findings[0].message).contains(message),
             findings[0].message.c_str());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::AnyShapeTest)
#include "any_shape_test.moc"
