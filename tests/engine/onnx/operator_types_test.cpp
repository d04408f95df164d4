// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/operator_types.h"

#include <onnx/defs/schema.h>

#include <QSet>
#include <QTest>

#include "tests/engine/onnx/onnx_test_support.h"

namespace temper::test {

/// The table of types agrees with the schemas of libonnx, as far as its opsets go.
class OperatorTypesTest : public QObject {
    Q_OBJECT

private slots:
    void agreesWithLibonnx_data();
    void agreesWithLibonnx();
    void firstVersionsAgreeWithLibonnx();
    void operatorsOfOthersTakeAll();
};

struct NamedType {
    DType dtype;
    const char* name;
};
/// As ONNX's schemas name them. The smaller types came later than the oldest libonnx.
constexpr NamedType kTypes[] = {
    {DType::Float32, "float"},
    {DType::UInt8, "uint8"},
    {DType::Int8, "int8"},
    {DType::UInt16, "uint16"},
    {DType::Int16, "int16"},
    {DType::Int32, "int32"},
    {DType::Int64, "int64"},
    {DType::String, "string"},
    {DType::Bool, "bool"},
    {DType::Float16, "float16"},
    {DType::Float64, "double"},
    {DType::UInt32, "uint32"},
    {DType::UInt64, "uint64"},
    {DType::Complex64, "complex64"},
    {DType::Complex128, "complex128"},
    {DType::BFloat16, "bfloat16"},
};

/// Versions whose types ONNX corrected after its release 1.12 or 1.17.
bool isCorrected(const onnx::OpSchema& schema) {
    return schema.Name() == "GlobalLpPool" ||
           (schema.Name() == "Erf" && schema.SinceVersion() == 13) ||
           (schema.Name() == "GridSample" && schema.SinceVersion() == 16);
}

QSet<QString> typesOf(const onnx::OpSchema::FormalParameter& parameter) {
    QSet<QString> names;
    for (const std::string* name : parameter.GetTypes())
        names.insert(QString::fromStdString(*name));
    return names;
}

/// What the table says of the parameter at a position.
bool takes(const onnx::OpSchema& schema, bool isInput, size_t position, const ValueType& type) {
    Graph graph;
    std::vector<Value*> inputs(isInput ? position + 1 : 0, nullptr);
    if (isInput) inputs.back() = graph.addInput("x", type);
    const size_t outputs = isInput ? 1 : position + 1;
    std::vector<std::string> names;
    for (size_t i = 0; i < outputs; ++i) names.push_back("y" + std::to_string(i));
    const Node* node = graph.addNode({schema.Name(), inputs, names});
    if (!isInput) node->output(position)->setType(type);
    return valuesNotTaken(*node, schema.SinceVersion()).empty();
}

void OperatorTypesTest::agreesWithLibonnx_data() {
    QTest::addColumn<bool>("isInput");
    QTest::newRow("inputs") << true;
    QTest::newRow("outputs") << false;
}

void OperatorTypesTest::agreesWithLibonnx() {
    QFETCH(bool, isInput);
    QStringList problems;
    int compared = 0;
    for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
        if (!schema.domain().empty() || schema.Deprecated() || isCorrected(schema)) continue;
        const auto& parameters = isInput ? schema.inputs() : schema.outputs();
        for (size_t i = 0; i < parameters.size(); ++i) {
            const QSet<QString> expected = typesOf(parameters[i]);
            for (const NamedType& named : kTypes) {
                const QString tensor = QString("tensor(%1)").arg(named.name);
                const bool isTensor = takes(schema, isInput, i, {named.dtype, std::nullopt});
                const bool isSequence =
                    takes(schema, isInput, i, {named.dtype, std::nullopt, true, false});
                const bool isOptional =
                    takes(schema, isInput, i, {named.dtype, std::nullopt, false, true});
                compared += 3;
                if (isTensor != expected.contains(tensor) ||
                    isSequence != expected.contains("seq(" + tensor + ")") ||
                    isOptional != (expected.contains("optional(" + tensor + ")") ||
                                   expected.contains("optional(seq(" + tensor + "))"))) {
                    problems << QString("%1 %2, %3 %4: %5")
                                    .arg(schema.Name().c_str())
                                    .arg(schema.SinceVersion())
                                    .arg(isInput ? "input" : "output")
                                    .arg(i)
                                    .arg(tensor);
                }
            }
        }
    }
    QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
    QVERIFY(compared > 10'000);
}

void OperatorTypesTest::firstVersionsAgreeWithLibonnx() {
    std::map<std::string, int64_t> first;
    for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
        if (!schema.domain().empty()) continue;
        const int64_t since = schema.SinceVersion();
        const auto [known, isNew] = first.emplace(schema.Name(), since);
        known->second = std::min(known->second, since);
    }
    for (const auto& [op, version] : first) {
        QVERIFY2(hasOperator(op, version), op.c_str());
        QVERIFY2(!hasOperator(op, version - 1), op.c_str());
    }
}

void OperatorTypesTest::operatorsOfOthersTakeAll() {
    Graph graph;
    Value* x = graph.addInput("x", {DType::Float4E2M1, std::nullopt});
    const Node* node = graph.addNode({"BiasGelu", {x, x}, {"y"}, {}, "com.microsoft"});
    QVERIFY(valuesNotTaken(*node, 1).empty());
    QVERIFY(hasOperator("BiasGelu", 1));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OperatorTypesTest)
#include "operator_types_test.moc"
