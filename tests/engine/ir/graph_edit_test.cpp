// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>

#include "engine/ir/graph.h"
#include "tests/engine/ir/graph_test_support.h"

namespace temper::test {

constexpr const char* kNetwork = R"(
    net (float[N, 2] x) => (y) <float[2, 2] w = {1, 2, 3, 4}> {
        h = MatMul(x, w)
        r = Relu(h)
        y = Add(r, h)
    })";

/// Every reader of a value is among its uses, and each use reads it.
bool usesAreConsistent(const Graph& graph) {
    size_t reads = 0;
    for (const Node* node : graph.nodes()) {
        for (size_t i = 0; i < node->inputs().size(); ++i) {
            if (node->inputs()[i] == nullptr) continue;
            ++reads;
            const auto& uses = node->inputs()[i]->uses();
            const Value::Use use{const_cast<Node*>(node), i};
            if (std::count(uses.begin(), uses.end(), use) != 1) return false;
        }
    }
    size_t uses = 0;
    for (const Value* value : graph.values()) uses += value->uses().size();
    return reads == uses;
}

class GraphEditTest : public QObject {
    Q_OBJECT

private slots:
    void init() { graph_ = parseText(kNetwork); }
    void cleanup() { QVERIFY(usesAreConsistent(*graph_)); }

    void readersOfAValueReadItsReplacement();
    void graphOutputIsReplacedToo();
    void inputIsExchangedAddedAndOmitted();
    void removedNodeReadsNothing();
    void nodeThatIsReadIsNotRemoved();
    void outputsOfAReplacedNodeStayTheSameValues();
    void aConstantReplacesANode();
    void whatWasRemovedCanNotBeUsed();
    void unusedNodesAndInitializersAreRemoved();
    void whatABodyCapturesIsUsed();
    void valueIsRenamedEverywhere();
    void uniqueNameAvoidsTakenOnes();
    void initializerBecomesAnInputAndBack();
    void manyInitializersBecomeInputsAndBack();
    void outputsThatAreReplacedByOneAnotherStayKnown();
    void outputsOfANodeAreAddedAndDropped();
    void nameThatIsTakenIsRefusedWithoutATrace();
    void valueIsAnOutputOnce();
    void missingValueIsNamed();
    void cloneIsEqualAndIndependent();
    void movedGraphKnowsItsOutputs();
    void attributeOfAnotherKindIsRefusedByName();

private:
    Node* node(const char* output) const { return graph_->at(output)->producer(); }

    std::unique_ptr<Graph> graph_;
};

void GraphEditTest::readersOfAValueReadItsReplacement() {
    graph_->replaceUses(graph_->at("h"), graph_->at("x"));
    QCOMPARE(textOf(*graph_), normalized(R"(
        net (float[N, 2] x) => (y) <float[2, 2] w = {1, 2, 3, 4}> {
            h = MatMul(x, w)
            r = Relu(x)
            y = Add(r, x)
        })"));
    QVERIFY(graph_->at("h")->uses().empty());
}

void GraphEditTest::graphOutputIsReplacedToo() {
    graph_->replaceUses(graph_->at("y"), graph_->at("r"));
    QCOMPARE(namesOf(graph_->outputs()), std::vector<std::string>{"r"});
    QVERIFY(graph_->at("r")->isGraphOutput());
    QVERIFY(!graph_->at("y")->isGraphOutput());
}

void GraphEditTest::inputIsExchangedAddedAndOmitted() {
    graph_->setInput(node("y"), 0, graph_->at("h"));
    graph_->setInput(node("y"), 3, graph_->at("w"));
    graph_->setInput(node("r"), 0, nullptr);
    QCOMPARE(namesOf({node("y")->input(0), node("y")->input(1), node("y")->input(3)}),
             (std::vector<std::string>{"h", "h", "w"}));
    QVERIFY(node("y")->input(2) == nullptr);
    QVERIFY(node("y")->input(99) == nullptr);
    QCOMPARE(graph_->at("h")->uses().size(), size_t{2});
}

void GraphEditTest::removedNodeReadsNothing() {
    graph_->setOutputs({graph_->at("r")});
    graph_->removeNode(node("y"));
    QVERIFY(graph_->find("y") == nullptr);
    QCOMPARE(graph_->at("h")->uses().size(), size_t{1});
    QCOMPARE(graph_->nodeCount(), size_t{2});
}

void GraphEditTest::nodeThatIsReadIsNotRemoved() {
    graph_->setOutputs({graph_->at("h")});
    const QString error = errorOf([&] { graph_->dropOutput(node("r"), 0); });
    QVERIFY2(error.contains("nothing reads a removed value"), qPrintable(error));
    QVERIFY(graph_->find("r") != nullptr);
}

void GraphEditTest::outputsOfAReplacedNodeStayTheSameValues() {
    Value* r = graph_->at("r");
    Value* y = graph_->at("y");
    const Node* made = graph_->addNode({"Tanh", {graph_->at("h")}, {"t"}});
    graph_->replaceNode(node("r"), {made->output(0)});
    graph_->replaceNode(node("y"), {graph_->addNode({"Sub", {r, r}, {"s"}})->output(0)});
    QCOMPARE(textOf(*graph_), normalized(R"(
        net (float[N, 2] x) => (y) <float[2, 2] w = {1, 2, 3, 4}> {
            h = MatMul(x, w)
            r = Tanh(h)
            y = Sub(r, r)
        })"));
    QCOMPARE(graph_->at("r"), r);
    QCOMPARE(graph_->at("y"), y);
    QCOMPARE(r->producer(), made);
    QVERIFY(y->isGraphOutput());
    QVERIFY(graph_->find("t") == nullptr);
}

void GraphEditTest::aConstantReplacesANode() {
    Value* r = graph_->at("r");
    Value* one = graph_->addLiteral("one", Tensor::of<float>({1}, {1}));
    graph_->replaceNode(node("r"), {one});
    QVERIFY(r->isInitializer() && r->isLiteral() && r->producer() == nullptr);
    QCOMPARE(r->constant().shape(), Shape{1});
    QCOMPARE(namesOf(graph_->initializers()), (std::vector<std::string>{"w", "r"}));
    QCOMPARE(graph_->at("y")->producer()->input(0), r);
}

void GraphEditTest::whatWasRemovedCanNotBeUsed() {
    Node* removed = node("y");
    Value* output = graph_->at("y");
    graph_->setOutputs({graph_->at("r")});
    graph_->removeNode(removed);
    const QString wrongNode = errorOf([&] { graph_->setInput(removed, 0, graph_->at("x")); });
    QVERIFY2(wrongNode.contains("a node is one of this graph"), qPrintable(wrongNode));
    const QString wrongValue = errorOf([&] { graph_->addOutput(output); });
    QVERIFY2(wrongValue.contains("a value is one of this graph"), qPrintable(wrongValue));
    const auto other = graph_->clone();
    const QString foreign = errorOf([&] { graph_->addNode({"Relu", {other->at("h")}, {"z"}}); });
    QVERIFY2(foreign.contains("a value is one of this graph"), qPrintable(foreign));
    QVERIFY(graph_->find("z") == nullptr);
#ifdef TEMPER_CHECK_GRAPHS
    QVERIFY(errorOf([&] { removed->inputs(); }).contains("a node that was removed is not read"));
    QVERIFY(errorOf([&] { output->type(); }).contains("a value that was removed is not read"));
#endif
}

void GraphEditTest::unusedNodesAndInitializersAreRemoved() {
    graph_->addInitializer("spare", Tensor(DType::Float32, {1}));
    graph_->setOutputs({graph_->at("h")});
    graph_->removeUnused();
    QCOMPARE(textOf(*graph_), normalized(R"(
        net (float[N, 2] x) => (h) <float[2, 2] w = {1, 2, 3, 4}> { h = MatMul(x, w) })"));
}

void GraphEditTest::whatABodyCapturesIsUsed() {
    constexpr const char* kText = R"(
        g (bool c, float x) => (y) <float w = {1}> {
            h = Relu(x)
            y = If<then_branch = t () => (a) { a = Add(h, w) },
                   else_branch = e () => (x) {}>(c)
        })";
    graph_ = parseText(kText);
    graph_->removeUnused();
    QCOMPARE(textOf(*graph_), normalized(kText));
    const std::vector<Value*> captured = graph_->capturedBy(*node("y"));
    QCOMPARE(namesOf(captured), (std::vector<std::string>{"x", "h", "w"}));
}

void GraphEditTest::valueIsRenamedEverywhere() {
    graph_->renameValue(graph_->at("h"), "hidden");
    graph_->renameValue(graph_->at("y"), "y");
    QCOMPARE(textOf(*graph_), normalized(R"(
        net (float[N, 2] x) => (y) <float[2, 2] w = {1, 2, 3, 4}> {
            hidden = MatMul(x, w)
            r = Relu(hidden)
            y = Add(r, hidden)
        })"));
    QVERIFY(errorOf([&] { graph_->renameValue(graph_->at("r"), "y"); }).contains("is free"));
}

void GraphEditTest::uniqueNameAvoidsTakenOnes() {
    QCOMPARE(graph_->uniqueName("z"), std::string("z"));
    QCOMPARE(graph_->uniqueName("h"), std::string("h_2"));
    graph_->addInput("h_2", {});
    QCOMPARE(graph_->uniqueName("h"), std::string("h_3"));
}

void GraphEditTest::initializerBecomesAnInputAndBack() {
    const QString before = textOf(*graph_);
    Value* w = graph_->at("w");
    const Tensor data = w->constant();
    graph_->initializerToInput(w);
    QVERIFY(w->isGraphInput() && !w->isInitializer());
    QCOMPARE(namesOf(graph_->inputs()), (std::vector<std::string>{"x", "w"}));
    QCOMPARE(formatType(w->type()), std::string("float32[2, 2]"));
    graph_->setInputs({w, graph_->at("x")});
    QCOMPARE(namesOf(graph_->inputs()), (std::vector<std::string>{"w", "x"}));
    graph_->inputToInitializer(w, data);
    QCOMPARE(textOf(*graph_), before);
}

void GraphEditTest::manyInitializersBecomeInputsAndBack() {
    const auto named = [&](const char* name) { return graph_->at(name); };
    for (const char* name : {"a", "b", "c"})
        graph_->addInitializer(name, Tensor(DType::Float32, {1}));
    graph_->initializersToInputs({named("c"), named("a"), named("w")});
    QCOMPARE(namesOf(graph_->inputs()), (std::vector<std::string>{"x", "c", "a", "w"}));
    QCOMPARE(namesOf(graph_->initializers()), std::vector<std::string>{"b"});
    graph_->inputsToInitializers(
        {{named("w"), Tensor(DType::Float32, {2, 2})}, {named("c"), Tensor(DType::Int64, {3})}});
    QCOMPARE(namesOf(graph_->inputs()), (std::vector<std::string>{"x", "a"}));
    QCOMPARE(namesOf(graph_->initializers()), (std::vector<std::string>{"b", "w", "c"}));
    QCOMPARE(formatType(named("c")->type()), std::string("int64[3]"));
}

void GraphEditTest::outputsThatAreReplacedByOneAnotherStayKnown() {
    graph_->addOutput(graph_->at("r"));
    graph_->setOutputs({graph_->at("h"), graph_->at("y")});
    QVERIFY(graph_->at("h")->isGraphOutput() && !graph_->at("r")->isGraphOutput());
    graph_->replaceUses(graph_->at("h"), graph_->at("h"));
    QVERIFY(graph_->at("h")->isGraphOutput());
    QCOMPARE(namesOf(graph_->outputs()), (std::vector<std::string>{"h", "y"}));
    const auto copy = graph_->clone();
    QVERIFY(copy->at("h")->isGraphOutput() && !copy->at("r")->isGraphOutput());
}

void GraphEditTest::outputsOfANodeAreAddedAndDropped() {
    Value* mask = graph_->addOutputTo(node("r"), 2, "mask");
    QVERIFY(mask->producer() == node("r"));
    QCOMPARE(mask->producerOutput(), size_t{2});
    QVERIFY(node("r")->output(1) == nullptr);
    graph_->dropOutput(node("r"), 2);
    QCOMPARE(node("r")->outputs().size(), size_t{1});
    QVERIFY(graph_->find("mask") == nullptr);
}

void GraphEditTest::nameThatIsTakenIsRefusedWithoutATrace() {
    const QString before = textOf(*graph_);
    for (const char* name : {"x", "w", "h"}) {
        const QString expected = QString("The name '%1' is defined twice in graph 'net'").arg(name);
        QVERIFY(errorOf([&] { graph_->addInput(name, {}); }).contains(expected));
        QVERIFY(errorOf([&] {
                    graph_->addNode({"Split", {graph_->at("x")}, {"new", name}});
                }).contains(expected));
    }
    QVERIFY(graph_->find("new") == nullptr);
    QCOMPARE(textOf(*graph_), before);
}

void GraphEditTest::valueIsAnOutputOnce() {
    const QString error = errorOf([&] { graph_->addOutput(graph_->at("y")); });
    QVERIFY2(error.contains("'y' is already a graph output"), qPrintable(error));
}

void GraphEditTest::missingValueIsNamed() {
    QVERIFY(graph_->find("none") == nullptr);
    QCOMPARE(errorOf([&] { graph_->at("none"); }), "Graph 'net' has no value named 'none'.");
}

void GraphEditTest::cloneIsEqualAndIndependent() {
    const auto clone = graph_->clone();
    QCOMPARE(QString::fromStdString(toText(*clone)), QString::fromStdString(toText(*graph_)));
    QVERIFY(usesAreConsistent(*clone));
    clone->replaceUses(clone->at("h"), clone->at("x"));
    clone->renameValue(clone->at("w"), "v");
    QCOMPARE(textOf(*graph_), normalized(kNetwork));
}

void GraphEditTest::movedGraphKnowsItsOutputs() {
    Graph moved = std::move(*graph_);
    *graph_ = Graph();
    QVERIFY(moved.at("y")->isGraphOutput());
    QVERIFY(!moved.at("h")->isGraphOutput());
    QCOMPARE(textOf(moved), normalized(kNetwork));
}

void GraphEditTest::attributeOfAnotherKindIsRefusedByName() {
    Node* relu = node("r");
    graph_->renameNode(relu, "/act");
    relu->setAttribute("alpha", 2.5F);
    QCOMPARE(relu->attribute<float>("alpha", 0), 2.5F);
    QCOMPARE(relu->attribute<float>("beta", 1), 1.0F);
    QVERIFY(!relu->attribute<int64_t>("gamma"));
    QCOMPARE(errorOf([&] { relu->attribute<int64_t>("alpha"); }),
             "Attribute 'alpha' of node '/act' (Relu) has the wrong kind (float).");
    relu->removeAttribute("alpha");
    QVERIFY(!relu->hasAttribute("alpha"));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::GraphEditTest)
#include "graph_edit_test.moc"
