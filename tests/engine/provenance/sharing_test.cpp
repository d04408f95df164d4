// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>
#include <set>

#include "engine/provenance/evidence.h"
#include "engine/provenance/folded_away.h"
#include "engine/provenance/sharing.h"
#include "tests/engine/provenance/exported_model.h"
#include "tests/support/standard_catalog.h"

using namespace temper;
using namespace temper::test;

static QString textOf(const Graph& graph) {
    return QString::fromStdString(toText(graph)).simplified();
}

static QString codesOf(const std::vector<Finding>& findings) {
    QStringList codes;
    for (const Finding& finding : findings) codes << QString::fromStdString(finding.code);
    return codes.join(' ');
}

/// An embedding, and its transpose for the head.
static std::unique_ptr<Graph> tiedModel() {
    return exportedModel(
        "g (int64[N] ids) => (y) <float[2, 3] head.weight = {1, 2, 3, 4, 5, 6},"
        " float[3, 2] val_4 = {1, 4, 2, 5, 3, 6}> { e = Gather(head.weight, ids)"
        " y = MatMul(e, val_4) }",
        "p_emb: PARAMETER target='emb.weight'\np_head: PARAMETER target='head.weight'\n",
        {{"head.weight", "PARAMETER"}}, {{"val_4", "['head.weight']"}},
        {{"e", "embedding.default](args = (%p_head, %ids)"},
         {"y", "linear.default](args = (%e, %p_head)"}});
}

/// Two layers whose weights were equal: one tensor is left of them, and so with their biases.
static std::unique_ptr<Graph> mergedModel() {
    return exportedModel(
        "g (float[N, 2] x) => (y) <float[2, 2] val_1 = {1, 2, 3, 4}, float[2] a.bias = {0, 0}>"
        " { p = MatMul(x, val_1) q = Add(p, a.bias) r = MatMul(q, val_1) y = Add(r, a.bias) }",
        "p_aw: PARAMETER target='a.weight'\np_ab: PARAMETER target='a.bias'\n"
        "p_bw: PARAMETER target='b.weight'\np_bb: PARAMETER target='b.bias'\n",
        {{"a.bias", "PARAMETER"}}, {{"val_1", "['a.weight']"}},
        {{"p", "linear.default](args = (%x, %p_aw, %p_ab)"},
         {"q", "linear.default](args = (%x, %p_aw, %p_ab)"},
         {"r", "linear.default](args = (%q, %p_bw, %p_bb)"},
         {"y", "linear.default](args = (%q, %p_bw, %p_bb)"}});
}

/// The exporter's list of these parameters of the module, which are the inputs p0, p1, ...
static std::string signatureOf(const QStringList& parameters) {
    QString signature;
    for (int i = 0; i < parameters.size(); ++i)
        signature += QString("p%1: PARAMETER target='%2'\n").arg(i).arg(parameters[i]);
    return signature.toStdString();
}

class SharingTest : public QObject {
    Q_OBJECT

private slots:
    void copiesBecomeNodesOnTheParameter();
    void copiesStayApartOnRequest();
    void mergedTensorsAreSeparated();
    void mergedTensorsStayOnRequest();
    void aFoldedNormSeparatesNothing();
    void readersMeanTheirOwnParameter_data();
    void readersMeanTheirOwnParameter();
    void equalNormsAreRestored_data();
    void equalNormsAreRestored();
    void equalParametersAreRestored_data();
    void equalParametersAreRestored();
    void partsOfAResultAreResults();
    void formulasAreRestored_data();
    void formulasAreRestored();
    void restoredParametersHaveTheirOwnShape_data();
    void restoredParametersHaveTheirOwnShape();
    void whatStaysAsExportedIsTold_data();
    void whatStaysAsExportedIsTold();
    void aLayerWithAComputedWeightGetsItsBiasBack();
    void anExpandedTokenHasOneRow();
    void aTableOfRelativePositionsIsRestored_data();
    void aTableOfRelativePositionsIsRestored();
    void equalTablesOfTwoBlocksAreSeparated();
    void aTableWithoutMetadataIsTied_data();
    void aTableWithoutMetadataIsTied();
    void anEqualHeadIsTiedToItsEmbedding_data();
    void anEqualHeadIsTiedToItsEmbedding();
    void matricesOfFewNumbersAreNotTables();
    void statisticsAreNotParameters();
    void aBiasOfZerosIsRestored();
    void equalTensorsWithoutMetadataAreOffered();
    void constantsOfTheExporterAreNotOffered();
    void aChoiceThatMeansNothingIsRefused();
    void modelsWithoutMetadataStay();
};

void SharingTest::copiesBecomeNodesOnTheParameter() {
    const auto graph = tiedModel();
    QCOMPARE(codesOf(restoreSharing(*graph, standardCatalog(), {})), QString("S001"));
    const Value* transposed = graph->at("val_4");
    QVERIFY(!transposed->isInitializer());
    QCOMPARE(transposed->producer()->opType(), std::string("Transpose"));
    QCOMPARE(transposed->producer()->input(0), graph->at("head.weight"));
    QCOMPARE(graph->at("y")->producer()->input(1), transposed);
    QCOMPARE(codesOf(restoreSharing(*graph, standardCatalog(), {})), QString());
}

void SharingTest::copiesStayApartOnRequest() {
    const auto graph = tiedModel();
    const QString before = textOf(*graph);
    const auto remarks = restoreSharing(*graph, standardCatalog(), {.untie = {"head.*"}});
    QCOMPARE(textOf(*graph), before);
    QCOMPARE(codesOf(remarks), QString("S001"));
    QVERIFY(remarks[0].hint.find("omit --untie 'head.*'") != std::string::npos);
}

void SharingTest::mergedTensorsAreSeparated() {
    const auto graph = mergedModel();
    QCOMPARE(codesOf(restoreSharing(*graph, standardCatalog(), {})), QString("S002 S002"));
    const auto reads = [&](const char* output, size_t input) {
        return graph->at(output)->producer()->input(input)->name();
    };
    QCOMPARE(reads("p", 1), std::string("val_1"));
    QCOMPARE(reads("q", 1), std::string("a.bias"));
    QCOMPARE(reads("r", 1), std::string("b.weight"));
    QCOMPARE(reads("y", 1), std::string("b.bias"));
    const auto a = graph->at("val_1")->constant().values<float>();
    const auto b = graph->at("b.weight")->constant().values<float>();
    QVERIFY(std::ranges::equal(a, b) && a.data() != b.data());
}

void SharingTest::mergedTensorsStayOnRequest() {
    const auto graph = mergedModel();
    QCOMPARE(
        codesOf(restoreSharing(*graph, standardCatalog(), {.keepMerged = {"a.weight", "a.bias"}})),
        QString("S002 S002"));
    QCOMPARE(graph->initializers().size(), size_t{2});
}

/// The operation of the fused node names the norm's parameters only.
void SharingTest::aFoldedNormSeparatesNothing() {
    const auto graph = exportedModel(
        "g (float[N, 1, 4] x) => (y) <float[1, 1, 1] conv.weight = {3}>"
        " { y = Conv(x, conv.weight) }",
        "p_w: PARAMETER target='conv.weight'\np_n: PARAMETER target='bn.weight'\n", {}, {},
        {{"y", "batch_norm](args = (%conv1d, %p_n)"}});
    QCOMPARE(codesOf(restoreSharing(*graph, standardCatalog(), {})), QString());
    QCOMPARE(namesOf(graph->initializers()), std::vector<std::string>{"conv.weight"});
}

/// Module and source line, as the exporter writes them for the node of an output.
struct Place {
    QString output;
    QString operation;  ///< empty: not written
    QString module;     ///< empty: not written
    QString code;
};

static void writePlace(Graph& graph, const Place& place) {
    Metadata metadata;
    if (!place.operation.isEmpty()) {
        metadata["pkg.torch.onnx.fx_node"] =
            QString("%%1 : [num_users=1] = call_function[target=torch.ops.aten.%2, kwargs = {})")
                .arg(place.output, place.operation)
                .toStdString();
    }
    if (!place.module.isEmpty()) {
        metadata["pkg.torch.onnx.name_scopes"] =
            QString("['', '%1', '%2']").arg(place.module, place.output).toStdString();
    }
    if (!place.code.isEmpty()) {
        metadata["pkg.torch.onnx.stack_trace"] =
            QString("File \"net.py\", line 7, in forward\n    %1").arg(place.code).toStdString();
    }
    graph.at(place.output.toStdString())->producer()->setMetadata(std::move(metadata));
}

void SharingTest::readersMeanTheirOwnParameter_data() {
    QTest::addColumn<QString>("tensors");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<QString>("sources");  // the parameter in `t`
    QTest::addColumn<QList<QStringList>>("places");
    QTest::addColumn<QString>("reads");  // what each node reads instead of `t`
    using Places = QList<QStringList>;
    const QString one = "float[2] t = {1, 1}", zero = "float[2] t = {0, 0}";
    const QString scaleAndShift = "a = Mul(x, t) b = Add(a, t) c = Mul(b, t) y = Add(c, t)";
    QTest::newRow("a scale of zeros and a shift in one norm")
        << zero + ", float[2] m = {1, 2}, float[2] v = {1, 1}"
        << "y = BatchNormalization(x, t, t, m, v)"
        << "bn.weight bn.bias"
        << "bn.weight" << Places{{"y", "batch_norm](args = (%x, %p0, %p1)", "bn", ""}}
        << "t,bn.bias";
    QTest::newRow("statistics of a norm whose shift was left out")
        << zero + ", float[2] w = {1, 2}, float[2] b = {1, 2}"
        << "a = Add(x, t) y = BatchNormalization(a, w, b, t, t)"
        << "fc.bias bn.bias"
        << "fc.bias"
        << Places{{"a", "add.Tensor](args = (%x, %p0)", "fc", ""},
                  {"y", "batch_norm](args = (%a, %p1)", "bn", ""}}
        << "t t_mean,t_variance";
    QTest::newRow("views of shift and scale")
        << zero << scaleAndShift << "g.weight g.bias h.weight h.bias"
        << "g.bias"
        << Places{{"a", "addcmul](args = (%t, %v1, %x)", "g", "self.bias, self.weight"},
                  {"b", "addcmul](args = (%t, %v1, %x)", "g", "self.bias, self.weight"},
                  {"c", "addcmul](args = (%v2, %v3, %b)", "h", "self.bias, self.weight"},
                  {"y", "addcmul](args = (%v2, %v3, %b)", "h", "self.bias, self.weight"}}
        << "g.weight t h.weight h.bias";
    QTest::newRow("views that only the line tells apart")
        << one << "a = Mul(x, t) b = Mul(a, t) c = Mul(b, t) y = Mul(c, t)"
        << "g.weight g.v h.weight h.v"
        << "g.v"
        << Places{{"a", "mul.Tensor](args = (%x, %t)", "g", "x * v"},
                  {"b", "mul.Tensor](args = (%a, %v1)", "g", "x * self.weight.view(s)"},
                  {"c", "mul.Tensor](args = (%b, %v2)", "h", "x * v"},
                  {"y", "mul.Tensor](args = (%c, %v3)", "h", "x * self.weight.view(s)"}}
        << "t g.weight h.v h.weight";
    QTest::newRow("views that nothing tells apart")
        << one << "a = Mul(x, t) b = Mul(a, t) y = Mul(b, t)"
        << "g.v h.weight h.v"
        << "g.v"
        << Places{{"a", "mul.Tensor](args = (%x, %t)", "g", ""},
                  {"b", "mul.Tensor](args = (%a, %v1)", "h", ""},
                  {"y", "mul.Tensor](args = (%b, %v2)", "h", ""}}
        << "t t t";
    QTest::newRow("other words in the line")
        << one << "a = Mul(x, t) b = Mul(a, t) y = Mul(b, t)"
        << "g.v h.weight h.v"
        << "g.v"
        << Places{{"a", "mul.Tensor](args = (%x, %t)", "g", ""},
                  {"b", "mul.Tensor](args = (%a, %v1)", "h", "x * self.weight_of(x)"},
                  {"y", "mul.Tensor](args = (%b, %v2)", "h", "x * self.v2"}}
        << "t t t";
    QTest::newRow("a part without an operation, in the module of its reader")
        << zero << "a = Add(x, t) n = Identity(t) y = Add(a, n)"
        << "f.in_proj_bias g.in_proj_bias"
        << "f.in_proj_bias"
        << Places{{"a", "linear](args = (%x, %p0)", "f", ""},
                  {"n", "", "", ""},
                  {"y", "linear](args = (%a, %getitem)", "g", ""}}
        << "t g.in_proj_bias -";
    QTest::newRow("a product with a weight, which a bias is added to")
        << zero << "y = Add(x, t)"
        << "f.weight f.bias"
        << "f.weight', 'linear" << Places{{"y", "linear](args = (%v, %p0, %p1)", "f", ""}} << "t";
    const Places blocks{{"a", "add.Tensor](args = (%x, %t)", "g.0.attn", ""},
                        {"y", "add.Tensor](args = (%a, %t_1)", "g.1.attn", ""}};
    const QString twice = "a = Add(x, t) y = Add(a, t)";
    QTest::newRow("a parameter in the same place of another block")
        << zero << twice << "g.0.attn.rel.table g.1.attn.rel.table g.2.attn.rel.table"
        << "g.0.attn.rel.table" << blocks << "t g.1.attn.rel.table";
    QTest::newRow("in two places of another block")
        << zero << twice << "g.0.attn.rel.table g.1.attn.rel.table g.1.attn.abs.table"
        << "g.0.attn.rel.table" << blocks << "t t";
    QTest::newRow("in another block than the reader's")
        << zero << twice << "g.0.attn.rel.table g.2.attn.rel.table"
        << "g.0.attn.rel.table" << blocks << "t t";
    QTest::newRow("in the same place of another block, with a reader of its own")
        << zero << "a = Add(x, t) b = Relu(a) y = Add(b, t)"
        << "g.0.attn.rel.table g.1.attn.rel.table"
        << "g.0.attn.rel.table"
        << Places{blocks[0], {"b", "index.Tensor](args = (%p1)", "", ""}, blocks[1]} << "t - t";
    QTest::newRow("numbers that differ are no merged ones")
        << "float[2] t = {1, 2}"
        << "a = Add(x, t) n = Identity(t) y = Add(a, n)"
        << "f.bias g.bias"
        << "f.bias"
        << Places{{"a", "linear](args = (%x, %p0)", "f", ""},
                  {"n", "", "", ""},
                  {"y", "linear](args = (%a, %getitem)", "g", ""}}
        << "t t -";
}

void SharingTest::readersMeanTheirOwnParameter() {
    QFETCH(QString, tensors);
    QFETCH(QString, nodes);
    QFETCH(QString, parameters);
    QFETCH(QString, sources);
    QFETCH(QList<QStringList>, places);
    const QString text = QString("g (float[2, 2] x) => (y) <%1> { %2 }").arg(tensors, nodes);
    const std::string signature = signatureOf(parameters.split(' '));
    const auto graph = exportedModel(text.toStdString(), signature, {},
                                     {{"t", "['" + sources.toStdString() + "']"}}, {});
    for (const QStringList& place : places)
        writePlace(*graph, {place[0], place[1], place[2], place[3]});
    restoreSharing(*graph, standardCatalog(), {});
    QStringList reads;
    for (const QStringList& place : places) {
        const Node& node = *graph->at(place[0].toStdString())->producer();
        QStringList own;
        for (const Value* input : node.inputs()) {
            const bool isOther = !input->isInitializer() ||
                                 QString("mvwb").contains(QString::fromStdString(input->name()));
            if (!isOther) own << QString::fromStdString(input->name());
        }
        reads << (own.isEmpty() ? "-" : own.join(','));
    }
    QTEST(reads.join(' '), "reads");
}

void SharingTest::equalNormsAreRestored_data() {
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<QList<QStringList>>("places");
    QTest::addColumn<QString>("scale");  // numbers of the norm's scale
    QTest::addColumn<QString>("keep");
    QTest::addColumn<QString>("expected");  // the tensor whose norm b reads; empty: n
    using Places = QList<QStringList>;
    const QStringList norm{"n", "layer_norm](args = (%x, [2], %p0, %p1)", "block.norm1", ""};
    const QStringList a{"a", "relu](args = (%n)", "block.attn", ""};
    const Places beside{norm, a, {"b", "sigmoid](args = (%layer_norm_1)", "block.mlp.act", ""}};
    const QString both = "block.norm1.weight block.norm1.bias block.norm2.weight block.norm2.bias";
    QTest::newRow("a norm beside it") << both << beside << "1, 1"
                                      << ""
                                      << "block.norm2.weight";
    QTest::newRow("a norm within the reader's module")
        << "block.norm1.weight block.norm1.bias block.mlp.act.n.weight block.mlp.act.n.bias"
        << beside << "1, 1"
        << ""
        << "block.mlp.act.n.weight";
    QTest::newRow("of two blocks the own")
        << both + " other.norm2.weight other.norm2.bias" << beside << "1, 1"
        << ""
        << "block.norm2.weight";
    QTest::newRow("two that it may be")
        << both + " block.norm3.weight block.norm3.bias" << beside << "1, 1"
        << ""
        << "";
    QTest::newRow("a norm of another block")
        << "block.norm1.weight block.norm1.bias other.norm2.weight other.norm2.bias" << beside
        << "1, 1"
        << ""
        << "";
    QTest::newRow("a norm with other parameters")
        << "block.norm1.weight block.norm1.bias block.norm2.weight" << beside << "1, 1"
        << ""
        << "";
    QTest::newRow("none is missing") << "block.norm1.weight block.norm1.bias" << beside << "1, 1"
                                     << ""
                                     << "";
    QTest::newRow("a norm that was trained") << both << beside << "1, 2"
                                             << ""
                                             << "";
    QTest::newRow("the user's choice") << both << beside << "1, 1"
                                       << "block.norm1.*"
                                       << "";
    QTest::newRow("both read the norm itself")
        << both << Places{norm, a, {"b", "sigmoid](args = (%n)", "block.mlp.act", ""}} << "1, 1"
        << ""
        << "";
    QTest::newRow("b reads what a dropout passed on")
        << both << Places{norm, a, {"b", "sigmoid](args = (%clone)", "block.mlp.act", ""}} << "1, 1"
        << ""
        << "";
    QTest::newRow("no operation is known")
        << both << Places{norm, a, {"b", "", "block.mlp.act", ""}} << "1, 1"
        << ""
        << "";
}

/// Two fresh norms of one value, as in blocks with parallel attention and perceptron: the exporter
/// computes only one. Operation and module show that b was made for the other.
void SharingTest::equalNormsAreRestored() {
    QFETCH(QString, parameters);
    QFETCH(QList<QStringList>, places);
    QFETCH(QString, scale);
    QFETCH(QString, keep);
    QFETCH(QString, expected);
    const std::string signature = signatureOf(parameters.split(' '));
    const QString text = QString(
                             "g (float[2, 2] x) => (y) <float[2] w = {%1}, float[2] s = {0, 0}>"
                             " { n = LayerNormalization<epsilon = 0.25>(x, w, s) a = Relu(n)"
                             " b = Sigmoid(n) y = Add(a, b) }")
                             .arg(scale);
    const auto graph =
        exportedModel(text.toStdString(), signature, {},
                      {{"w", "['block.norm1.weight']"}, {"s", "['block.norm1.bias']"}}, {});
    for (const QStringList& place : places)
        writePlace(*graph, {place[0], place[1], place[2], place[3]});
    SharingChoices choices;
    if (!keep.isEmpty()) choices.keepMerged = {keep.toStdString()};
    const auto remarks = restoreSharing(*graph, standardCatalog(), choices);
    QCOMPARE(graph->at("a")->producer()->input(0), graph->at("n"));
    const Value* read = graph->at("b")->producer()->input(0);
    QCOMPARE(read != graph->at("n"), !expected.isEmpty());
    if (expected.isEmpty()) return;
    QCOMPARE(codesOf(remarks), QString("S002"));
    const Node& norm = *read->producer();
    QCOMPARE(norm.opType(), std::string("LayerNormalization"));
    QCOMPARE(norm.attribute<float>("epsilon", 0), 0.25F);
    QCOMPARE(norm.input(0), graph->at("x"));
    QCOMPARE(QString::fromStdString(norm.input(1)->name()), expected);
    QVERIFY(std::ranges::equal(norm.input(1)->constant().values<float>(),
                               graph->at("w")->constant().values<float>()));
    const QString before = textOf(*graph);
    restoreSharing(*graph, standardCatalog(), choices);
    QCOMPARE(textOf(*graph), before);
}

void SharingTest::equalParametersAreRestored_data() {
    QTest::addColumn<QString>("tensors");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("parameters");  // the first one is in `t`
    QTest::addColumn<QList<QStringList>>("places");
    QTest::addColumn<QString>("keep");
    QTest::addColumn<QString>("expected");  // what the other node reads instead; empty: it is one
    using Places = QList<QStringList>;
    const QString zeros = "float[1, 2] t = {0, 0}";
    const QString join = "n = Expand(t, s) y = Concat<axis = 0>(n, n, x)";
    const QString sum = "n = Add(t, s) a = Add(x, n) y = Add(a, n)";
    const QStringList expand{"n", "expand.default](args = (%p0, [%i, -1])", "e", ""};
    const Places tokens{expand, {"y", "cat.default](args = ([%n, %expand_1, %x], 0)", "e", ""}};
    const Places blocks{{"n", "add.Tensor](args = (%t, %s)", "g.0", ""},
                        {"a", "add.Tensor](args = (%x, %n)", "g.0.attn", ""},
                        {"y", "add.Tensor](args = (%a, %add_1)", "g.1.attn", ""}};
    const auto add = [](const char* row, const QString& tensor, const QString& nodes,
                        const char* parameters, const Places& places, const char* keep,
                        const char* expected) {
        const bool isSum = nodes.startsWith("n = Add");
        const QString other = isSum ? "float[1, 2] s = {1, 2}" : "int64[2] s = {3, 2}";
        QTest::newRow(row) << tensor + ", " + other << nodes << parameters << places << keep
                           << expected;
    };
    add("two tokens", zeros, join, "e.cls e.dist f.token", tokens, "", "e.dist");
    add("tokens of the whole program", zeros, join, "cls dist",
        {{expand[0], expand[1], "", ""}, {"y", tokens[1][1], "", ""}}, "", "dist");
    add("two that it may be", zeros, join, "e.cls e.dist e.mask", tokens, "", "");
    add("none is missing", zeros, join, "e.cls f.token", tokens, "", "");
    add("one token, twice", zeros, join, "e.cls e.dist",
        {expand, {"y", "cat.default](args = ([%n, %n, %x], 0)", "e", ""}}, "", "");
    add("a token that an operation names", zeros, join, "e.cls e.dist",
        {expand, {"y", "cat.default](args = ([%n, %p1, %x], 0)", "e", ""}}, "", "");
    add("tokens that were trained", "float[1, 2] t = {1, 2}", join, "e.cls e.dist", tokens, "", "");
    add("the user's choice", zeros, join, "e.cls e.dist", tokens, "e.cls", "");
    const QStringList passedOn{"y", "add.Tensor](args = (%a, %clone)", "", ""};
    add("a result that a dropout passed on", zeros, "n = Add(t, s) a = Neg(n) y = Add(a, n)",
        "pos mask",
        {{"n", "add.Tensor](args = (%s, %p0)", "", ""},
         {"a", "neg](args = (%n)", "", ""},
         passedOn},
        "", "");
    const auto joined = [&](const char* code) {
        return Places{expand, {"y", tokens[1][1], "e", code}};
    };
    add("two tokens that the line names", zeros, join, "e.cls e.dist",
        joined("torch.cat([self.cls.expand(n), self.dist.expand(n), x])"), "", "e.dist");
    add("one token that the line names twice, and one that nothing reads", zeros, join,
        "e.cls e.dist", joined("torch.cat([self.cls.expand(n), self.cls.expand(n), x])"), "", "");
    add("more results than tokens", zeros, "n = Expand(t, s) y = Concat<axis = 0>(n, n, n, x)",
        "e.cls e.dist",
        {expand, {"y", "cat.default](args = ([%n, %expand_1, %expand_2, %x], 0)", "e", ""}}, "",
        "");
    add("a bias of each block, plus a mask", zeros, sum, "g.0.rel.table g.1.rel.table", blocks, "",
        "g.1.rel.table");
    add("a bias of another block", zeros, sum, "g.0.rel.table g.2.rel.table", blocks, "", "");
}

/// The exporter computes equal expressions once: two tokens of zeros are expanded by one node, and
/// equal biases of two blocks are added to a mask by one.
void SharingTest::equalParametersAreRestored() {
    QFETCH(QString, tensors);
    QFETCH(QString, nodes);
    QFETCH(QString, parameters);
    QFETCH(QList<QStringList>, places);
    QFETCH(QString, keep);
    QFETCH(QString, expected);
    const QStringList names = parameters.split(' ');
    const std::string signature = signatureOf(names);
    const QString text = QString("g (float[2, 2] x) => (y) <%1> { %2 }").arg(tensors, nodes);
    const auto graph = exportedModel(text.toStdString(), signature, {},
                                     {{"t", "['" + names[0].toStdString() + "']"}}, {});
    for (const QStringList& place : places)
        writePlace(*graph, {place[0], place[1], place[2], place[3]});
    SharingChoices choices;
    if (!keep.isEmpty()) choices.keepMerged = {keep.toStdString()};
    restoreSharing(*graph, standardCatalog(), choices);
    const Value* first = graph->at("n");
    const Value* read = graph->at("y")->producer()->input(1);
    QCOMPARE(read != first, !expected.isEmpty());
    if (expected.isEmpty()) return;
    QCOMPARE(read->producer()->opType(), first->producer()->opType());
    QCOMPARE(QString::fromStdString(read->producer()->input(0)->name()), expected);
    QCOMPARE(read->producer()->input(1), graph->at("s"));
    QCOMPARE(first->producer()->input(0), graph->at("t"));
    const QString before = textOf(*graph);
    restoreSharing(*graph, standardCatalog(), choices);
    QCOMPARE(textOf(*graph), before);
}

/// exp(logit_scale) of two layers, as in Swin Transformer V2: neither is a logit_scale.
void SharingTest::partsOfAResultAreResults() {
    const auto graph = parseText(
        "g (float[2, 2] x) => (y) <float[2] exp = {10, 10}> { a = Mul(x, exp) y = Mul(a, exp) }");
    graph->setMetadata({{"pkg.torch.export.ExportedProgram.graph_signature",
                         "p0: PARAMETER target='f.logit_scale'\np1: PARAMETER "
                         "target='g.logit_scale'"}});
    graph->at("exp")->setMetadata(
        {{"pkg.onnxscript.optimizer.folded_from", "['clamp', 'f.logit_scale']"}});
    writePlace(*graph, {"a", "mul.Tensor](args = (%x, %exp)", "f", ""});
    writePlace(*graph, {"y", "mul.Tensor](args = (%a, %exp_1)", "g", ""});
    QCOMPARE(codesOf(restoreSharing(*graph, standardCatalog(), {})), QString("S002"));
    const Value* other = graph->at("y")->producer()->input(1);
    QCOMPARE(other->name(), std::string("exp_2"));
    QCOMPARE(graph->find("g.logit_scale"), nullptr);
    const auto findings = findFoldedAway(*graph, standardCatalog());
    QCOMPARE(findings.size(), size_t{1});
    QVERIFY(findings[0].message.find("'f.logit_scale' went into 'exp'; 'g.logit_scale' went into "
                                     "'exp_2'") != std::string::npos);
}

void SharingTest::formulasAreRestored_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("numbers");
    QTest::addColumn<QString>("sources");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("operators");
    QTest::addColumn<QList<float>>("parameter");
    const auto add = [](const char* row, const char* name, const char* numbers, const char* sources,
                        const char* code, const char* operators,
                        const QList<float>& parameter = {}) {
        QTest::newRow(row) << name << numbers << sources << code << operators << parameter;
    };
    const char* kOwn = "['s.gain']";
    add("exp", "exp", "1, 2.7182817", kOwn, "", "Exp", {0, 1});
    add("-exp, in another shape", "unsqueeze_3", "-1, -2.7182817",
        "['exp', 's.gain', 'neg', 'unsqueeze_2', 'val_38']", "", "Exp Neg", {0, 1});
    add("exp of the negative", "exp_1_2", "2.7182817, 0.36787945", "['neg_1', 's.gain']", "",
        "Neg Exp", {-1, 1});
    add("sigmoid", "sigmoid_1", "0.5, 0.7310586", kOwn, "", "Sigmoid", {0, 1});
    add("tanh", "tanh", "0, 0.7615942", kOwn, "", "Tanh", {0, 1});
    const char* kSum = "['s.gain', 'val_5']";
    add("1 +", "add_6", "1, 1.5", kSum, "y = x * (1.0 + self.gain.float())", "Add", {0, 0.5F});
    add("+ 1", "add_6_2", "1, 1.5", kSum, "return scaled(x, self.gain + 1)", "Add", {0, 0.5F});
    add("+ what no line tells", "add_6", "1, 1.5", kSum, "return x * self.scale()", "");
    add("+ another factor", "add_6", "1, 1.5", kSum, "y = x * (1 + self.gains)", "");
    add("+ a product", "add_6", "1, 1.5", kSum, "y = (2 * 1 + self.gain)", "");
    add("+ without a line", "add_6", "1, 1.5", kSum, "", "");
    add("an operation without inverse", "exp", "1, 2.7182817", "['clamp', 's.gain']", "", "");
    add("twice exp", "exp_1", "2.7182817, 15.154262", "['exp', 's.gain']", "", "");
    add("no exp of anything", "exp", "0, 1", kOwn, "", "");
    add("both signs", "neg", "-1, 1", "['exp', 's.gain']", "", "");
    add("of two parameters", "exp", "1, 2.7182817", "['s.gain', 's.shift']", "", "");
    add("a weight in another shape", "unsqueeze", "1, 2", kOwn, "", "");
}

/// exp(logit_scale), -exp(A_log), 1 + weight: the exporter leaves the result, which training would
/// change differently.
void SharingTest::formulasAreRestored() {
    QFETCH(QString, name);
    QFETCH(QString, numbers);
    QFETCH(QString, sources);
    QFETCH(QString, code);
    QFETCH(QString, operators);
    QFETCH(QList<float>, parameter);
    const QString text =
        QString("g (float[2] x) => (y) <float[2] %1 = {%2}> { y = Mul(x, %1) }").arg(name, numbers);
    const auto graph = exportedModel(
        text.toStdString(), "p0: PARAMETER target='s.gain'\np1: PARAMETER target='s.shift'\n", {},
        {{name.toStdString(), sources.toStdString()}}, {});
    writePlace(*graph, {"y", QString("mul.Tensor](args = (%x, %%1)").arg(name), "s", code});
    const auto remarks = restoreSharing(*graph, standardCatalog(), {});
    const Value* value = graph->at("y")->producer()->input(1);
    QCOMPARE(value->name(), name.toStdString());
    QStringList made;
    for (; value->producer() != nullptr; value = value->producer()->input(0))
        made.prepend(QString::fromStdString(value->producer()->opType()));
    QCOMPARE(made.join(' '), operators);
    QCOMPARE(codesOf(remarks), operators.isEmpty() ? QString() : QString("S002"));
    if (operators.isEmpty()) return;
    // Without the unit dimensions that it is named after, its layout is unknown.
    const bool isUnclear = name.startsWith("unsqueeze");
    QCOMPARE(value->name(), isUnclear ? name.toStdString() + "_source" : std::string("s.gain"));
    for (qsizetype i = 0; i < parameter.size(); ++i) {
        const float number = value->constant().values<float>()[static_cast<size_t>(i)];
        QVERIFY(std::abs(number - parameter[i]) < 1e-6F);
    }
    for (const Finding& finding : findFoldedAway(*graph, standardCatalog()))
        QVERIFY(finding.message.find("went into") == std::string::npos);
    const QString before = textOf(*graph);
    restoreSharing(*graph, standardCatalog(), {});
    QCOMPARE(textOf(*graph), before);
}

void SharingTest::restoredParametersHaveTheirOwnShape_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("sources");
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("sourceShape");
    QTest::addColumn<QString>("operators");
    const auto add = [](const char* row, const char* name, const char* shape, const char* sources,
                        const char* source, const char* sourceShape, const char* operators) {
        QTest::newRow(row) << name << shape << sources << source << sourceShape << operators;
    };
    const char* kOwn = "s.gain";
    add("as it was", "neg", "2, 3", "['s.gain', 'exp']", kOwn, "[2, 3]", "Exp Neg");
    add("copied", "clone_1", "2, 3", "['s.gain', 'exp', 'neg', 'alias', '_to_copy_2']", kOwn,
        "[2, 3]", "Exp Neg");
    add("Mamba's A_log", "unsqueeze_1", "1, 2, 3", "['s.gain', '_to_copy', 'exp', 'neg', 'val_7']",
        kOwn, "[2, 3]", "Exp Neg Reshape");
    add("for each channel of an image", "neg_2", "2, 3, 1, 1",
        "['s.gain', 'unsqueeze', 'unsqueeze_1', 'exp_2']", kOwn, "[2, 3]", "Exp Neg Reshape");
    add("its own unit dimension, and another", "unsqueeze", "1, 2, 3, 1",
        "['s.gain', 'exp', 'neg']", "unsqueeze_source", "[1, 2, 3, 1]", "Exp Neg");
    add("its own unit dimension", "neg", "2, 3, 1", "['s.gain', 'exp']", kOwn, "[2, 3, 1]",
        "Exp Neg");
    add("a transposed gate", "permute_1", "2, 3", "['s.gain', 'exp', 'neg']", "permute_1_source",
        "[2, 3]", "Exp Neg");
    add("transposed before", "neg", "2, 3", "['s.gain', 'transpose', 'exp']", "neg_source",
        "[2, 3]", "Exp Neg");
    add("transposed by the exporter", "val_12", "2, 3", "['s.gain', 'exp', 'neg']", "val_12_source",
        "[2, 3]", "Exp Neg");
    add("viewed", "view", "2, 3", "['s.gain', 'exp', 'neg']", "view_source", "[2, 3]", "Exp Neg");
    add("squeezed", "squeeze", "2, 3", "['s.gain', 'exp', 'neg']", "squeeze_source", "[2, 3]",
        "Exp Neg");
}

/// Loading the result into the module by name needs the parameter's shape and layout. Its rows are
/// equal, as in a fresh A_log; that is no expansion.
void SharingTest::restoredParametersHaveTheirOwnShape() {
    QFETCH(QString, name);
    QFETCH(QString, shape);
    QFETCH(QString, sources);
    QFETCH(QString, operators);
    const QString text = QString(
                             "g (float[%2] x) => (y) <float[%2] %1 = {-1, -2.7182817,"
                             " -7.389056, -1, -2.7182817, -7.389056}> { y = Mul(x, %1) }")
                             .arg(name, shape);
    const auto graph = exportedModel(text.toStdString(), "p0: PARAMETER target='s.gain'\n", {},
                                     {{name.toStdString(), sources.toStdString()}}, {});
    const auto remarks = restoreSharing(*graph, standardCatalog(), {});
    QCOMPARE(codesOf(remarks), QString("S002"));
    QStringList made;
    const Value* value = graph->at(name.toStdString());
    for (; value->producer() != nullptr; value = value->producer()->input(0))
        made.prepend(QString::fromStdString(value->producer()->opType()));
    QTEST(made.join(' '), "operators");
    QTEST(QString::fromStdString(value->name()), "source");
    QTEST(QString::fromStdString(formatShape(value->constant().shape())), "sourceShape");
    for (size_t i = 0; i < 6; ++i) {
        const float number = value->constant().values<float>()[i];
        QVERIFY(std::abs(number - static_cast<float>(i % 3)) < 1e-6F);
    }
    QVERIFY(remarks[0].message.find("'" + value->name() + "'") != std::string::npos);
    QVERIFY(remarks[0].hint.ends_with("--keep-merged s.gain."));
    const Evidence evidence(*graph);
    QCOMPARE(evidence.parametersIn(*value), std::vector<std::string>{"s.gain"});
    const QString before = textOf(*graph);
    QCOMPARE(codesOf(restoreSharing(*graph, standardCatalog(), {})), QString());
    QCOMPARE(textOf(*graph), before);
}

void SharingTest::whatStaysAsExportedIsTold_data() {
    QTest::addColumn<std::string>("keep");
    QTest::newRow("the result of a formula") << std::string("exp");
    QTest::newRow("the parameter of a formula") << std::string("logit_scale");
    QTest::newRow("a bias of zeros") << std::string("fc.bias");
    QTest::newRow("everything") << std::string("*");
}

/// Each choice keeps its tensor, and only that.
void SharingTest::whatStaysAsExportedIsTold() {
    QFETCH(std::string, keep);
    const auto graph = exportedModel(
        "g (float[N, 2] x) => (y) <float[3, 2] fc.weight = {1, 2, 3, 4, 5, 6},"
        " float[3] exp = {1, 2, 3}>"
        " { h = Gemm<transB = 1>(x, fc.weight) y = Mul(h, exp) }",
        "p_w: PARAMETER target='fc.weight'\np_b: PARAMETER target='fc.bias'\n"
        "p_s: PARAMETER target='logit_scale'\n",
        {}, {{"exp", "['logit_scale']"}},
        {{"h", "linear.default](args = (%x, %p_w, %p_b)"}, {"y", "mul.Tensor](args = (%h, %exp)"}});
    Node* layer = graph->at("h")->producer();
    Metadata metadata = layer->metadata();
    metadata["pkg.onnxscript.rewriter.rule_name"] = "RemoveOptionalBiasFromGemm";
    layer->setMetadata(metadata);
    const auto remarks = restoreSharing(*graph, standardCatalog(), {.keepMerged = {keep}});
    const bool isPattern = keep == "*", isBias = keep == "fc.bias";
    QCOMPARE(graph->at("exp")->isInitializer(), !isBias);
    QCOMPARE(graph->find("fc.bias") != nullptr, !isBias && !isPattern);
    QCOMPARE(remarks.size(), size_t{isPattern ? 1U : 2U});
    const Finding& told = remarks.back();
    QVERIFY(told.message.find("'" + keep + "' stays as exported, as requested") == 0);
    QVERIFY(told.hint.find("omit --keep-merged") != std::string::npos);
    if (isPattern) return;
    const std::string other = isBias ? "logit_scale" : "fc.bias";
    QVERIFY(remarks.front().hint.ends_with(": --keep-merged " + other + "."));
}

/// A standardised weight that was too large to fold.
void SharingTest::aLayerWithAComputedWeightGetsItsBiasBack() {
    const auto graph = exportedModel(
        "g (float[N, 2] x) => (y) <float[3, 2] fc.weight = {1, 2, 3, 4, 5, 6}>"
        " { w = Neg(fc.weight) y = Gemm<transB = 1>(x, w) }",
        "p_w: PARAMETER target='fc.weight'\np_b: PARAMETER target='fc.bias'\n", {}, {},
        {{"y", "linear.default](args = (%x, %w, %p_b)"}});
    Node* node = graph->at("y")->producer();
    Metadata metadata = node->metadata();
    metadata["pkg.onnxscript.rewriter.rule_name"] = "RemoveOptionalBiasFromGemm";
    node->setMetadata(metadata);
    graph->at("w")->setType({DType::Float32, symbolicShape({3, 2})});
    QCOMPARE(codesOf(restoreSharing(*graph, standardCatalog(), {})), QString("S002"));
    QCOMPARE(graph->at("fc.bias")->constant().shape(), (Shape{3}));
}

void SharingTest::anExpandedTokenHasOneRow() {
    const auto graph = exportedModel(
        "g (float[2, 4, 3] x) => (y) <float[2, 1, 3] expand = {1, 2, 3, 1, 2, 3}>"
        " { y = Concat<axis = 1>(expand, x) }",
        "p_c: PARAMETER target='cls_token'\n", {}, {{"expand", "['cls_token', 'val_3']"}}, {});
    QCOMPARE(codesOf(restoreSharing(*graph, standardCatalog(), {})), QString("S001"));
    QCOMPARE(graph->at("cls_token")->constant().shape(), (Shape{1, 1, 3}));
    QCOMPARE(graph->at("expand")->producer()->opType(), std::string("Expand"));
}

void SharingTest::aTableOfRelativePositionsIsRestored_data() {
    QTest::addColumn<int>("token");
    QTest::newRow("a window of 2 x 2") << 0;
    QTest::newRow("the same with a class token") << 1;
}

/// Built like those of Swin and BEiT: coordinates, their differences, and a row for each.
static Tensor biasByPlace(int token) {
    const int places = 4 + token, rows = token != 0 ? 12 : 9;
    std::vector<float> numbers;
    for (int i = 0; i < places; ++i) {
        for (int k = 0; k < places; ++k) {
            const int a = i - token, b = k - token;
            int row = (a / 2 - b / 2 + 1) * 3 + (a % 2 - b % 2 + 1);
            if (token != 0 && i == 0) row = k == 0 ? rows - 1 : rows - 3;
            if (token != 0 && k == 0 && i > 0) row = rows - 2;
            numbers.push_back(static_cast<float>(100 + row));
        }
    }
    return Tensor::of<float>({1, 1, places, places}, std::span<const float>(numbers));
}

static void holdsTheTable(const Tensor& table, int rows) {
    QCOMPARE(table.shape(), (Shape{rows, 1}));
    for (int row = 0; row < rows; ++row) {
        QCOMPARE(table.values<float>()[static_cast<size_t>(row)], static_cast<float>(100 + row));
    }
}

void SharingTest::aTableOfRelativePositionsIsRestored() {
    QFETCH(int, token);
    Graph graph;
    Value* bias = graph.addInitializer("unsqueeze", biasByPlace(token));
    Value* x = graph.addInput("x", bias->type());
    graph.addOutput(graph.addNode({"Add", {x, bias}, {"y"}})->output(0));
    graph.setMetadata({{"pkg.torch.export.ExportedProgram.graph_signature",
                        "p: PARAMETER target='relative_position_bias_table'"}});
    bias->setMetadata(
        {{"pkg.onnxscript.optimizer.folded_from", "['relative_position_bias_table', 'index']"}});
    restoreSharing(graph, standardCatalog(), {});
    holdsTheTable(graph.at("relative_position_bias_table")->constant(), token != 0 ? 12 : 9);
}

/// Tables of fresh blocks are zeros: the exporter kept one of them, by position.
void SharingTest::equalTablesOfTwoBlocksAreSeparated() {
    Graph graph;
    Value* x = graph.addInput("x", {DType::Float32, symbolicShape({1, 1, 4, 4})});
    Value* bias = graph.addInitializer("unsqueeze", Tensor(DType::Float32, {1, 1, 4, 4}));
    Value* a = graph.addNode({"Add", {x, bias}, {"a"}})->output(0);
    graph.addOutput(graph.addNode({"Add", {a, bias}, {"y"}})->output(0));
    graph.setMetadata({{"pkg.torch.export.ExportedProgram.graph_signature",
                        "p0: PARAMETER target='f.rel.relative_position_bias_table'\n"
                        "p1: PARAMETER target='g.rel.relative_position_bias_table'"}});
    bias->setMetadata({{"pkg.onnxscript.optimizer.folded_from",
                        "['f.rel.relative_position_bias_table', 'index']"}});
    writePlace(graph, {"a", "add.Tensor](args = (%x, %unsqueeze)", "f", ""});
    writePlace(graph, {"y", "add.Tensor](args = (%a, %unsqueeze_1)", "g", ""});
    QCOMPARE(codesOf(restoreSharing(graph, standardCatalog(), {})), QString("S002 S001 S001"));
    for (const char* block : {"f", "g"}) {
        const Value* table = graph.at(std::string(block) + ".rel.relative_position_bias_table");
        QCOMPARE(table->constant().shape(), (Shape{9, 1}));
    }
    QCOMPARE(graph.at("a")->producer()->input(1), graph.at("unsqueeze"));
    QCOMPARE(graph.at("y")->producer()->input(1), graph.at("unsqueeze_2"));
}

void SharingTest::aTableWithoutMetadataIsTied_data() { aTableOfRelativePositionsIsRestored_data(); }

/// Exporters before 2.9, and tools that remove metadata, leave no trace of the table.
void SharingTest::aTableWithoutMetadataIsTied() {
    QFETCH(int, token);
    const auto build = [token] {
        auto graph = std::make_unique<Graph>();
        Value* bias = graph->addInitializer("onnx::Add_7", biasByPlace(token));
        Value* x = graph->addInput("x", bias->type());
        graph->addOutput(graph->addNode({"Add", {x, bias}, {"y"}})->output(0));
        return graph;
    };
    const auto graph = build();
    const auto tied = restoreSharing(*graph, standardCatalog(), {});
    QCOMPARE(codesOf(tied), QString("S001"));
    QVERIFY(tied[0].hint.find("--untie onnx::Add_7.") != std::string::npos);
    holdsTheTable(graph->at("onnx::Add_7")->constant(), token != 0 ? 12 : 9);
    const Value* byPlace = graph->at("y")->producer()->input(1);
    QCOMPARE(byPlace->name(), std::string("onnx::Add_7_by_place"));
    QCOMPARE(byPlace->type().shape->size(), size_t{4});
    QCOMPARE(codesOf(findUnclearSharing(*graph)), QString());

    const auto apart = build();
    const QString before = textOf(*apart);
    QCOMPARE(codesOf(restoreSharing(*apart, standardCatalog(), {.untie = {"onnx::Add_7"}})),
             QString("S001"));
    QCOMPARE(textOf(*apart), before);
    const auto findings = findUnclearSharing(*apart);
    QCOMPARE(codesOf(findings), QString("S004"));
    QVERIFY(findings[0].hint.find("--tie onnx::Add_7") != std::string::npos);
}

void SharingTest::anEqualHeadIsTiedToItsEmbedding_data() {
    QTest::addColumn<QString>("table");
    QTest::addColumn<QString>("head");
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("made");  // operator that produces the head; empty: it stays
    const char* kTable = "{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}";
    QTest::newRow("its transpose in a product")
        << kTable << "float[8, 2] t = {1,9,2,10,3,11,4,12,5,13,6,14,7,15,8,16}"
        << "MatMul(e, t)"
        << "Transpose";
    QTest::newRow("itself in a product that transposes")
        << kTable << QString("float[2, 8] t = ") + kTable << "Gemm<transB = 1>(e, t)"
        << "Identity";
    QTest::newRow("one number differs")
        << kTable << "float[8, 2] t = {1,9,2,10,3,11,4,12,5,13,6,14,7,15,8,17}"
        << "MatMul(e, t)"
        << "";
    QTest::newRow("a sum") << kTable << QString("float[2, 8] t = ") + kTable << "Add(e, t)"
                           << "";
    QTest::newRow("one number everywhere") << "{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}"
                                           << "float[8, 2] t = {1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}"
                                           << "MatMul(e, t)"
                                           << "";
}

void SharingTest::anEqualHeadIsTiedToItsEmbedding() {
    QFETCH(QString, table);
    QFETCH(QString, head);
    QFETCH(QString, node);
    QFETCH(QString, made);
    const std::string text = QString(
                                 "g (int64[2] ids) => (y) <float[2, 8] w = %1, %2>"
                                 " { e = Gather(w, ids) y = %3 }")
                                 .arg(table, head, node)
                                 .toStdString();
    const auto graph = parseText(text);
    const auto remarks = restoreSharing(*graph, standardCatalog(), {});
    const Node* maker = graph->at("t")->producer();
    QCOMPARE(maker == nullptr ? QString() : QString::fromStdString(maker->opType()), made);
    QCOMPARE(remarks.size(), size_t{made.isEmpty() ? 0U : 1U});
    if (made.isEmpty()) return;
    QCOMPARE(maker->input(0), graph->at("w"));
    QCOMPARE(remarks[0].code, std::string("S001"));
    QVERIFY(remarks[0].hint.find("--untie w.") != std::string::npos);
    for (const char* name : {"w", "t"}) {
        const auto apart = parseText(text);
        restoreSharing(*apart, standardCatalog(), {.untie = {name}});
        QVERIFY(apart->at("t")->isInitializer());
    }
}

/// An identity, a mask: they depend on the distance, too.
void SharingTest::matricesOfFewNumbersAreNotTables() {
    const auto graph = parseText(
        "g (float[N, 4] x) => (y) <float[4, 4] eye = {1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1}>"
        " { y = MatMul(x, eye) }");
    QCOMPARE(codesOf(findUnclearSharing(*graph)), QString());
}

void SharingTest::aBiasOfZerosIsRestored() {
    const auto graph = exportedModel(
        "g (float[N, 2] x) => (y) <float[3, 2] fc.weight = {1, 2, 3, 4, 5, 6}>"
        " { y = Gemm<transB = 1>(x, fc.weight) }",
        "p_w: PARAMETER target='fc.weight'\np_b: PARAMETER target='fc.bias'\n", {}, {},
        {{"y", "linear.default](args = (%x, %p_w, %p_b)"}});
    Node* node = graph->nodes().front();
    Metadata metadata = node->metadata();
    metadata["pkg.onnxscript.rewriter.rule_name"] = "RemoveOptionalBiasFromGemm";
    node->setMetadata(metadata);
    QCOMPARE(codesOf(restoreSharing(*graph, standardCatalog(), {})), QString("S002"));
    QCOMPARE(node->input(2), graph->at("fc.bias"));
    QCOMPARE(graph->at("fc.bias")->constant().shape(), (Shape{3}));
}

/// A fresh norm: its scale equals its variance, its shift its mean, and also those of the next one.
void SharingTest::statisticsAreNotParameters() {
    const auto graph = parseText(
        "g (float[N, 2] x) => (y) <float[2] w = {1, 1}, float[2] b = {0, 0}, float[2] v = {1, 1},"
        " float[2] c = {3, 4}> { h = BatchNormalization(x, w, b, b, w)"
        " y = BatchNormalization(h, c, c, v, v) }");
    restoreSharing(*graph, standardCatalog(), {});
    const Node& first = *graph->at("h")->producer();
    const Node& second = *graph->at("y")->producer();
    std::set<const Value*> tensors;
    for (const Node* node : {&first, &second}) {
        for (const size_t input : {3, 4}) {
            tensors.insert(node->input(input));
            QCOMPARE(node->input(input)->uses().size(), size_t{1});
        }
    }
    QCOMPARE(tensors.size(), size_t{4});
    QCOMPARE(first.input(1), graph->at("w"));
    QCOMPARE(first.input(2), graph->at("b"));
    QCOMPARE(second.input(3), graph->at("v"));
    QCOMPARE(first.input(4)->constant().values<float>()[1], 1.0F);
    const QString before = textOf(*graph);
    restoreSharing(*graph, standardCatalog(), {});
    QCOMPARE(textOf(*graph), before);
}

void SharingTest::equalTensorsWithoutMetadataAreOffered() {
    const std::string text =
        "g () => (y) <float[2, 8] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16},"
        " float[8, 2] t = {1,9,2,10,3,11,4,12,5,13,6,14,7,15,8,16}, float[2] one = {1, 1}>"
        " { f = MatMul(w, t) h = Add(f, one) y = Add(h, one) }";
    const auto graph = parseText(text);
    const QString before = textOf(*graph);
    QCOMPARE(codesOf(restoreSharing(*graph, standardCatalog(), {})), QString());
    QCOMPARE(textOf(*graph), before);
    const auto findings = findUnclearSharing(*graph);
    QCOMPARE(codesOf(findings), QString("S004 S004"));
    QVERIFY(findings[0].hint.find("--tie w t") != std::string::npos);
    QVERIFY(findings[1].hint.find("--part one") != std::string::npos);
    restoreSharing(*graph, standardCatalog(), {.tie = {"w", "t"}, .part = {"one"}});
    QCOMPARE(graph->at("t")->producer()->opType(), std::string("Transpose"));
    QCOMPARE(graph->at("y")->producer()->input(1)->name(), std::string("one_2"));
    QCOMPARE(codesOf(findUnclearSharing(*graph)), QString());
}

/// As of norms without parameters, as they standardise weights.
void SharingTest::constantsOfTheExporterAreNotOffered() {
    const auto findingsWith = [](const char* source) {
        const auto graph = exportedModel(
            "g (float[N, 2] x) => (y) <float[2] one = {1, 1}> { h = Add(x, one) y = Add(h, one) }",
            "p: PARAMETER target='a.weight'\n", {}, {{"one", source}}, {});
        return codesOf(findUnclearSharing(*graph));
    };
    QCOMPARE(findingsWith("['val_105']"), QString());
    QCOMPARE(findingsWith("[]"), QString("S004"));
}

void SharingTest::aChoiceThatMeansNothingIsRefused() {
    const auto graph = tiedModel();
    try {
        restoreSharing(*graph, standardCatalog(), {.untie = {"tail.*"}});
        QFAIL("nothing is called so");
    } catch (const Error& error) {
        QVERIFY(QString(error.what()).contains("'tail.*'"));
    }
}

void SharingTest::modelsWithoutMetadataStay() {
    const auto graph = parseText(
        "g (float[N, 2] x) => (y) <float[2, 2] w = {1, 2, 2, 1}, float[2, 2] v = {1, 2, 2, 1}>"
        " { a = MatMul(x, w) b = MatMul(a, w) y = MatMul(b, v) }");
    const QString before = textOf(*graph);
    restoreSharing(*graph, standardCatalog(), {});
    QCOMPARE(textOf(*graph), before);
}

QTEST_APPLESS_MAIN(SharingTest)
#include "sharing_test.moc"
