// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QTest>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/architecture/operator_lists.h"
#include "tests/architecture/source_tree.h"

using namespace temper::test;

/// Files and folders that name several operators, and why no fact of the catalog can replace it.
static const std::map<std::string, std::string> kExceptions = {
    {"app/cli/random_support.cpp",
     "what ONNX's functions draw with: each has a support of its own that is checked"},
    {"engine/autodiff/reachability.cpp",
     "the integers that stand for numbers: asked of values, which know no catalog"},
    {"engine/ir/block_match.cpp", "the language of the patterns in block_table.cpp"},
    {"engine/ir/block_table.cpp", "the patterns of blocks, written as operators"},
    {"engine/onnx/body_check.cpp", "If, Loop and Scan: each has another form that is checked"},
    {"engine/provenance/constant_use.cpp",
     "the roles of constants: what one input of one operator is used for"},
    {"engine/provenance/reader_meaning.cpp", "the arithmetic that decomposed layers consist of"},
    {"engine/provenance/restored_formulas.cpp",
     "rewrites graphs: the operators that compute a parameter's formula again"},
    {"engine/provenance/sharing.cpp",
     "the layers whose fresh parameters are equal, so that exporters merge them"},
    {"engine/runtime/control_folding.cpp", "rewrites graphs: the operators that it takes apart"},
    {"engine/runtime/known_data.cpp", "the operators whose sequences and optionals are constants"},
    {"engine/runtime/passes/attention_match.cpp", "rewrites graphs: the pattern of attention"},
    {"engine/runtime/passes/attention_sight.cpp", "rewrites graphs: the patterns of masks"},
    {"engine/runtime/passes/fuse_attention.cpp",
     "rewrites graphs: the operators that may pass their input on as it is"},
    {"engine/runtime/passes/join_parts.cpp",
     "rewrites graphs: the gradients of two operators that take parts"},
    {"engine/runtime/sequence_elements.cpp",
     "the operators that make sequences: what each of them consists of"},
    {"engine/runtime/sequence_folding.cpp", "rewrites graphs: the operators that it takes apart"},
    {"engine/training/edits/free_batch.cpp",
     "rewrites graphs: the operators that hold the batch as a number"},
    {"engine/training/opset/", "a table of forms by operator and opset"},
    {"engine/training/ort_classic/horizontal_split.cpp",
     "rewrites graphs: the operators between the products that it cuts"},
    {"engine/training/ort_classic/weight_groups.cpp",
     "the optimizers of ONNX Runtime's classic training API, by their names"},
    {"engine/training/session/optimizer.cpp",
     "the three operators that an optimizer model may consist of"},
};

static std::string contentOf(const std::string& path) {
    QFile file(QStringLiteral(TEMPER_SOURCE_DIR "/") + QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// The file, or its folder; empty if it is not an exception.
static std::string exceptionOf(const std::string& path) {
    for (const auto& [exception, why] : kExceptions) {
        if (path == exception || (exception.ends_with('/') && path.starts_with(exception)))
            return exception;
    }
    return {};
}

/// What other layers need to know of an operator is a fact of the catalog
/// (engine/ir/operator_facts.h), declared with the operator in engine/ops: other layers keep no
/// lists of operators.
class OperatorListsTest : public QObject {
    Q_OBJECT

private slots:
    void noListOfOperatorsIsKeptOutsideTheirFolders();
    void listsAreFoundInSourceText_data();
    void listsAreFoundInSourceText();
};

void OperatorListsTest::noListOfOperatorsIsKeptOutsideTheirFolders() {
    std::set<std::string> operators = operatorsIn(contentOf("docs/operators.md"));
    QVERIFY2(operators.size() > 300, "the table of operators was not found");
    operators.merge(operatorsInSchemas(contentOf("engine/onnx/operator_schemas.inc")));
    QVERIFY2(operators.contains("SequenceEmpty"), "the schemas were not found");
    std::set<std::string> needed;
    std::string problems;
    size_t files = 0;
    for (const char* folder : {"engine", "ui", "app", "plugins", "resources"}) {
        for (const SourceFile& file : sourceFilesBelow(TEMPER_SOURCE_DIR, folder)) {
            if (file.path.starts_with("engine/ops/")) continue;
            ++files;
            const auto lists = operatorListsIn(contentOf(file.path), operators);
            const std::string exception = exceptionOf(file.path);
            if (!lists.empty() && !exception.empty()) needed.insert(exception);
            if (!exception.empty()) continue;
            for (const std::string& list : lists) problems += "\n    " + file.path + ":" + list;
        }
    }
    for (const auto& [exception, why] : kExceptions) {
        if (!needed.contains(exception)) problems += "\n    " + exception + " is no exception";
    }
    QVERIFY2(files > 500, "the sources were not found");
    QVERIFY2(problems.empty(), problems.c_str());
}

void OperatorListsTest::listsAreFoundInSourceText_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("lists");
    const auto row = [](const char* name, const char* text, const char* lists) {
        QTest::newRow(name) << QString(text) << QString(lists);
    };
    row("a set", "int a;\nset kOperators = {\"Clip\", \"Relu\",\n \"com.microsoft.Gelu\"};\n",
        "2: Clip Gelu Relu");
    row("a map", "static const Map kKinds{{\"Conv\", 1},\n    {\"Gemm\", 2}, {\"MatMul\", 3}};",
        "1: Conv Gemm MatMul");
    row("an argument", "return isOneOf(node, {\"Conv\", \"Gemm\", \"MatMul\"});",
        "1: Conv Gemm MatMul");
    row("a chain",
        "bool f() {\n    return op == \"Conv\" || op == \"Gemm\" || \"Relu\" == op;\n}\n",
        "2: Conv Gemm Relu");
    row("a chain of statements",
        "int f() {\n    if (op == \"Conv\") return 1;\n    if (op != \"Gemm\") return 2;\n"
        "    return isCalled(node, \"Relu\");\n}\n",
        "2: Conv Gemm Relu");
    row("two in a set", "set k = {\"Clip\", \"Relu\"};", "1: Clip Relu");
    row("two in a chain", "bool f() {\n    return op == \"Conv\" || isOp(node, \"Gemm\");\n}\n",
        "2: Conv Gemm");
    row("two in statements",
        "int f() {\n    if (op == \"Conv\") {\n        if (op != \"Gemm\") return 2;\n    }\n}\n",
        "");
    row("one in a set", "set k = {\"Clip\"};", "");
    row("the same three times",
        "bool f() { return a == \"Clip\" || b == \"Clip\" || \"Clip\" == c;", "");
    row("in different functions",
        "bool f() {\n    if (op == \"Conv\") return true;\n    return op == \"Gemm\";\n}\n"
        "bool g() { return op == \"Relu\";\n}",
        "");
    row("no operators", "set k = {\"mean\", \"sum\", \"none\", \"train\"};", "");
    row("in comments", "// {\"Conv\", \"Gemm\", \"Relu\"}\n/* {\"Conv\", \"Gemm\", \"Relu\"} */",
        "");
    row("in texts",
        "say(\"{\\\"Conv\\\", \\\"Gemm\\\", \\\"Relu\\\"}\"); say(R\"({\"Conv\", \"Gemm\","
        " \"Relu\"})\");",
        "");
    row("nodes are made", "return op(\"Div\", {op(\"Sub\", {x, y}), op(\"Exp\", {z})});", "");
}

void OperatorListsTest::listsAreFoundInSourceText() {
    QFETCH(QString, text);
    QFETCH(QString, lists);
    const std::set<std::string> operators = {"Clip", "Conv",   "Div",  "Exp", "Gelu",
                                             "Gemm", "MatMul", "Relu", "Sub"};
    QString found;
    for (const std::string& list : operatorListsIn(text.toStdString(), operators))
        found += (found.isEmpty() ? "" : ", ") + QString::fromStdString(list);
    QCOMPARE(found, lists);
}

QTEST_APPLESS_MAIN(OperatorListsTest)
#include "operator_lists_test.moc"
