// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "engine/runtime/specialization.h"
#include "tests/support/op_check.h"

namespace fs = std::filesystem;
using temper::Graph;
using temper::Node;
using temper::OpInfo;

static void addOperators(const std::string& text, std::set<std::string>& operators) {
    static const std::regex op("[A-Za-z_0-9]+(?=[(<\"])");
    for (std::sregex_iterator w(text.begin(), text.end(), op), end; w != end; ++w)
        operators.insert(w->str());
}

/// Operators named by string literals in the tests that check gradients: "y = Op(x)", "Op<axis =
/// 1>", or just "Op".
static std::set<std::string> operatorsOfGradientCases() {
    std::set<std::string> operators;
    const std::regex literal("\"([^\"\\\\\n]|\\\\.)*\"");
    for (const auto& entry :
         fs::directory_iterator(fs::path(TEMPER_SOURCE_DIR) / "tests/engine/ops")) {
        if (entry.path().extension() != ".cpp") continue;
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        const std::string source = text.str();
        if (source.find("radientCase") == std::string::npos &&
            source.find("checkGradient") == std::string::npos) {
            continue;
        }
        for (std::sregex_iterator i(source.begin(), source.end(), literal), end; i != end; ++i) {
            addOperators(i->str(), operators);
        }
        const std::string raw = "R\"(";  // literals that span several lines
        for (size_t from = source.find(raw); from != std::string::npos;) {
            const size_t to = source.find(")\"", from);
            addOperators(source.substr(from, to - from), operators);
            from = source.find(raw, to);
        }
    }
    return operators;
}

/// Every operator that Temper knows, with its implementations.
class OpTableTest : public QObject {
    Q_OBJECT

private slots:
    void everyOperatorHasAKernelOrAReason_data() { addOperators(); }
    void everyOperatorHasAKernelOrAReason();
    void everyDifferentiableOperatorHasAGradientCase_data() { addOperators(); }
    void everyDifferentiableOperatorHasAGradientCase();

private:
    static void addOperators();
    const Node& nodeOf(const QString& domain, const QString& op);

    Graph graph_;
};

void OpTableTest::addOperators() {
    QTest::addColumn<QString>("domain");
    QTest::addColumn<QString>("op");
    for (const OpInfo* info : temper::test::ops().catalog.all()) {
        const std::string name = (info->domain.empty() ? "" : info->domain + ".") + info->opType;
        QTest::newRow(name.c_str())
            << QString::fromStdString(info->domain) << QString::fromStdString(info->opType);
    }
}

/// The registries are queried by node.
const Node& OpTableTest::nodeOf(const QString& domain, const QString& op) {
    return *graph_.addNode(
        {op.toStdString(), {}, {graph_.uniqueName("y")}, {}, domain.toStdString()});
}

void OpTableTest::everyOperatorHasAKernelOrAReason() {
    QFETCH(QString, domain);
    QFETCH(QString, op);
    const Node& node = nodeOf(domain, op);
    QVERIFY(temper::canRun(node, temper::test::ops().catalog, temper::test::ops().cpuKernels));
}

void OpTableTest::everyDifferentiableOperatorHasAGradientCase() {
    static const std::set<std::string> kChecked = operatorsOfGradientCases();
    QFETCH(QString, domain);
    QFETCH(QString, op);
    const Node& node = nodeOf(domain, op);
    const auto& gradients = temper::test::ops().gradients;
    if (gradients.find(node) == nullptr && !gradients.isLowered(node)) return;
    QVERIFY2(kChecked.contains(op.toStdString()),
             "no test under tests/engine/ops checks this operator's gradient");
}

QTEST_APPLESS_MAIN(OpTableTest)
#include "op_table_test.moc"
