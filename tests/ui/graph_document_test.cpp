// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <algorithm>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/support/standard_catalog.h"
#include "tests/ui/graph_models.h"
#include "tests/ui/ui_fixture.h"
#include "tests/ui/window_driver.h"
#include "ui/graph_view/edge_labels.h"
#include "ui/graph_view/graph_drawing.h"
#include "ui/graph_view/graph_overlay.h"
#include "ui/graph_view/graph_picture.h"
#include "ui/graph_view/group_layout.h"
#include "ui/panels/model/detail_view.h"
#include "ui/theme/colors.h"

using namespace temper;
using namespace temper::ui;

namespace {

const DrawingMetrics kMetrics = DrawingMetrics::fixed(8, 16);

std::shared_ptr<const GraphDocument> documentOf(std::shared_ptr<const Graph> graph,
                                                const std::vector<Block>& blocks = {}) {
    return std::make_shared<const GraphDocument>(std::move(graph), test::standardCatalog(), blocks);
}

std::set<int> allGroups(const GraphDocument& document) {
    std::set<int> groups;
    for (size_t g = 0; g < document.outline().groups().size(); ++g)
        groups.insert(static_cast<int>(g));
    return groups;
}

const GraphBox* boxOf(const GraphDrawing& drawing, const std::string& node) {
    const int box = drawing.boxOfNode(drawing.document->nodeNamed(node));
    return box < 0 ? nullptr : &drawing.boxes[static_cast<size_t>(box)];
}

/// Gives every value without a shape the same one.
std::shared_ptr<const Graph> typed(const std::shared_ptr<const Graph>& graph) {
    const std::unique_ptr<Graph> copy = graph->clone();
    for (Node* node : copy->nodes())
        for (Value* value : node->outputs())
            if (value != nullptr && !value->type().shape)
                value->setType({DType::Float32, SymbolicShape{Dim::named("batch"), Dim::of(64)}});
    return copy->clone();
}

/// Four inputs whose edges end at one place, as for a node with bodies.
std::shared_ptr<const Graph> sumOfFour() {
    return parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        agraph (float[batch, sequence] a, float[2, batch, 64] b, float[2, batch, 64] c,
                float[batch, 1] d) => (float[batch, 1] y) { y = Sum(a, b, c, d) })");
}

/// Along the bends as they are drawn: smooth steps across the flow.
bool passesThrough(const GraphEdge& edge, const QRectF& rect, bool horizontal) {
    constexpr int kSteps = 100;
    if (!edge.bounds.intersects(rect)) return false;
    for (size_t i = 1; i < edge.points.size(); ++i) {
        const QPointF from = edge.points[i - 1], way = edge.points[i] - from;
        for (int step = 0; step <= kSteps; ++step) {
            const double part = double(step) / kSteps, eased = part * part * (3 - 2 * part);
            const QPointF at = horizontal ? QPointF(part * way.x(), eased * way.y())
                                          : QPointF(eased * way.x(), part * way.y());
            if (rect.contains(from + at)) return true;
        }
    }
    return false;
}

}  // namespace

class GraphDocumentTest : public QObject {
    Q_OBJECT

private slots:
    void aModelIsDrawnWithItsInputsOutputsAndParameters() {
        const auto document = documentOf(smallModel()->graph);
        const auto drawing = drawGraph(document, firstFold(*document), kMetrics);
        QCOMPARE(drawing->boxes.size(), size_t{6});
        QCOMPARE(drawing->edges.size(), size_t{5});
        QCOMPARE(drawing->boxes.front().kind, BoxKind::Input);
        QCOMPARE(drawing->boxes[1].title, QString("Gemm"));
        QStringList parameters;
        for (const Value* value : drawing->parametersOf(drawing->boxes[1]))
            parameters << QString::fromStdString(value->name());
        QCOMPARE(parameters, QStringList({"fc1.weight", "fc1.bias"}));
        QCOMPARE(drawing->boxes.back().kind, BoxKind::Output);
    }

    void groupsAreTheModulesOfAnExport() {
        const auto graph = std::make_shared<Graph>();
        Value* value = graph->addInput("x", {DType::Float32, SymbolicShape{Dim::of(4)}, false});
        for (const char* name : {"node_one", "node_two", "node_three"}) {
            const std::string output = name + std::string("_y");
            Node* node = graph->addNode(
                {.opType = "Relu", .inputs = {value}, .outputs = {output}, .name = name});
            value = graph->at(output);
            if (std::string(name) == "node_three") continue;
            node->setMetadata(
                {{"pkg.torch.onnx.name_scopes", "['', 'body.0', 'relu']"},
                 {"pkg.torch.onnx.class_hierarchy", "['m.Net', 'm.Block', 'aten.relu.default']"},
                 {"pkg.torch.onnx.stack_trace", "File \"m.py\", line 7, in forward\n  x = f(x)"}});
        }
        graph->addOutput(value);
        const auto document = documentOf(graph);
        GraphFold fold;
        fold.open = {0};
        const auto drawing = drawGraph(document, fold, kMetrics);
        const auto group = std::ranges::find(drawing->boxes, BoxKind::Group, &GraphBox::kind);
        QVERIFY(group != drawing->boxes.end());
        QCOMPARE(group->title, QString("body.0"));
        QCOMPARE(group->className, QString("Block"));
        QCOMPARE(group->subtitle, QString("Block · 2 nodes"));

        DetailView view;
        view.showNode(*graph->nodes().front(), nullptr);
        QStringList rows;
        for (QTreeWidgetItemIterator row(view.findChild<QTreeWidget*>()); *row != nullptr; ++row)
            rows << (*row)->text(0) + "=" + (*row)->text(1);
        for (const char* row :
             {"Module=body.0", "Class=m.Block", "Line=m.py line 7", "Code=x = f(x)"})
            QVERIFY2(rows.contains(row), qPrintable(rows.join('\n')));
        view.showNode(*graph->nodes().back(), nullptr);
        for (QTreeWidgetItemIterator row(view.findChild<QTreeWidget*>()); *row != nullptr; ++row)
            QVERIFY((*row)->text(0) != "Module");
    }

    void everyFoldShowsEveryConnection_data() {
        QTest::addColumn<int>("opened");
        QTest::newRow("closed") << 0;
        QTest::newRow("some open") << 1;
        QTest::newRow("all open") << 2;
    }
    void everyFoldShowsEveryConnection() {
        QFETCH(int, opened);
        const auto document = documentOf(encoderModel(4));
        GraphFold fold;
        fold.open = {0};
        if (opened == 1) fold = firstFold(*document);
        if (opened == 2) fold.open = allGroups(*document);
        for (const bool horizontal : {false, true}) {
            fold.horizontal = horizontal;
            const auto drawing = drawGraph(document, fold, kMetrics);
            std::set<std::pair<int, int>> drawn;
            for (const GraphEdge& edge : drawing->edges) {
                drawn.insert({edge.from, edge.to});
                QVERIFY(!drawing->boxes[static_cast<size_t>(edge.from)].open);
                QVERIFY(!drawing->boxes[static_cast<size_t>(edge.to)].open);
            }
            // Each read between two visible boxes is an edge, and nothing else is.
            std::set<std::pair<int, int>> expected;
            for (int node = 0; node < document->nodeCount(); ++node) {
                const int to = drawing->boxOfNode(node);
                if (to < 0) continue;
                for (const NodeRead& read : document->reads(node)) {
                    const int from = read.producer < 0 ? 0 : drawing->boxOfNode(read.producer);
                    if (from >= 0 && from != to) expected.insert({from, to});
                }
            }
            for (auto edge = drawn.begin(); edge != drawn.end();)
                edge = edge->second == lastOutput(*drawing) ? drawn.erase(edge) : std::next(edge);
            QVERIFY(drawn == expected);
        }
    }

    void boxesAreInTheirGroupsAndNextToEachOther() {
        const auto document = documentOf(encoderModel(3));
        GraphFold fold;
        fold.open = allGroups(*document);
        fold.shapeNodes = true;
        for (const bool horizontal : {false, true}) {
            fold.horizontal = horizontal;
            const auto drawing = drawGraph(document, fold, kMetrics);
            for (size_t i = 0; i < drawing->boxes.size(); ++i) {
                const GraphBox& box = drawing->boxes[i];
                if (box.parent >= 0)
                    QVERIFY(
                        drawing->boxes[static_cast<size_t>(box.parent)].rect.contains(box.rect));
                for (size_t j = i + 1; j < drawing->boxes.size(); ++j)
                    if (drawing->boxes[j].parent == box.parent)
                        QVERIFY(
                            !drawing->boxes[j].rect.adjusted(1, 1, -1, -1).intersects(box.rect));
            }
            for (const GraphEdge& edge : drawing->edges) {
                const auto touches = [&](QPointF point, int of) {
                    return drawing->boxes[static_cast<size_t>(of)]
                        .rect.adjusted(-0.01, -0.01, 0.01, 0.01)
                        .contains(point);
                };
                QVERIFY(touches(edge.points.front(), edge.from));
                QVERIFY(touches(edge.points.back(), edge.to));
            }
        }
    }

    void whatIsUsedAgainIsDrawnTheSame() {
        const auto document = documentOf(encoderModel(6));
        GraphFold fold = firstFold(*document);
        auto drawing = drawGraph(document, fold, kMetrics);
        for (size_t group = 1; group < document->outline().groups().size(); group += 3) {
            if (!fold.open.erase(static_cast<int>(group)))
                fold.open.insert(static_cast<int>(group));
            drawing = drawGraph(document, fold, kMetrics, drawing.get());
            const auto fresh = drawGraph(document, fold, kMetrics);
            QCOMPARE(drawing->boxes.size(), fresh->boxes.size());
            for (size_t i = 0; i < fresh->boxes.size(); ++i)
                QCOMPARE(drawing->boxes[i].rect, fresh->boxes[i].rect);
            QCOMPARE(drawing->edges.size(), fresh->edges.size());
            for (size_t e = 0; e < fresh->edges.size(); ++e)
                QVERIFY(drawing->edges[e].points == fresh->edges[e].points);
        }
    }

    void labelsOfEdgesDoNotOverlap_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("horizontal");
        for (const char* model : {"many into one", "encoder", "tangled", "wide"})
            for (const bool horizontal : {false, true})
                QTest::addRow("%s%s", model, horizontal ? ", from the left" : "")
                    << model << horizontal;
    }
    /// No label overlaps another label, a box or another edge; and labels exist.
    void labelsOfEdgesDoNotOverlap() {
        QFETCH(QString, model);
        QFETCH(bool, horizontal);
        const auto graph = typed(model == "many into one" ? sumOfFour()
                                 : model == "encoder"     ? encoderModel(3)
                                 : model == "tangled"     ? tangledModel(200, 3)
                                                          : wideModel(5, 30, 4));
        const auto document = documentOf(graph);
        GraphFold fold = firstFold(*document);
        fold.horizontal = horizontal;
        const auto drawing = drawGraph(document, fold, kMetrics);
        std::vector<QRectF> taken;
        for (const GraphBox& box : drawing->boxes)
            if (!box.open) taken.push_back(box.rect);
        size_t labelled = 0;
        for (const GraphEdge& edge : drawing->edges) {
            if (!edge.labelAt) continue;
            ++labelled;
            const QRectF rect = edgeLabelRect(edge, kMetrics);
            for (const QRectF& other : taken) QVERIFY(!rect.intersects(other));
            for (const GraphEdge& other : drawing->edges)
                QVERIFY(&other == &edge || !passesThrough(other, rect, horizontal));
            taken.push_back(rect);
        }
        QCOMPARE_GT(labelled, size_t{0});
        if (model != "many into one" || horizontal) return;
        QVERIFY(labelled + 1 >= drawing->edges.size());
        savePicture({drawing, {}, false, QFont()}, pictureFile("fault-13-labels"));
    }

    void shapeOperationsAreCountedAndShown() {
        const auto document = documentOf(encoderModel(1));
        GraphFold fold;
        fold.open = allGroups(*document);
        const auto hidden = drawGraph(document, fold, kMetrics);
        const std::string reader = "/encoder/layer.0/attention/Reshape";
        QCOMPARE(boxOf(*hidden, reader)->shapeNodes, 3);
        QVERIFY(boxOf(*hidden, "/encoder/layer.0/attention/Shape") == nullptr);
        for (const int node : document->shapeNodesBefore(document->nodeNamed(reader)))
            fold.revealed.insert(node);
        const auto shown = drawGraph(document, fold, kMetrics);
        QCOMPARE(boxOf(*shown, reader)->shapeNodes, 0);
        QCOMPARE(boxOf(*shown, "/encoder/layer.0/attention/Shape")->title, QString("Shape"));
        QCOMPARE(shown->boxes.size(), hidden->boxes.size() + 3);
    }

    void revealingANodeOpensTheGroupsAround() {
        const auto document = documentOf(encoderModel(40));
        GraphFold fold = firstFold(*document);
        const int node = document->nodeNamed("/encoder/layer.31/mlp/fc2/MatMul");
        QVERIFY(
            drawGraph(document, fold, kMetrics)
                ->boxes[static_cast<size_t>(drawGraph(document, fold, kMetrics)->boxOfNode(node))]
                .group >= 0);
        reveal(*document, node, fold);
        const auto drawing = drawGraph(document, fold, kMetrics);
        QCOMPARE(drawing->boxes[static_cast<size_t>(drawing->boxOfNode(node))].node, node);
    }

    void detailsMakeBoxesTaller() {
        const auto document = documentOf(smallModel()->graph);
        GraphFold fold = firstFold(*document);
        const auto plain = drawGraph(document, fold, kMetrics);
        fold.names = fold.weights = true;
        const auto full = drawGraph(document, fold, kMetrics);
        QCOMPARE(full->boxes[1].lines,
                 QStringList({"/fc1/Gemm", "fc1.weight  4 × 3", "fc1.bias  3"}));
        QVERIFY(full->boxes[1].rect.height() > plain->boxes[1].rect.height() + 40);
    }

    void marksFollowTheParameters_data() {
        QTest::addColumn<QStringList>("trained");
        QTest::addColumn<QStringList>("blocked");
        QTest::addColumn<int>("expected");
        QTest::newRow("trains") << QStringList{"fc1.weight", "fc1.bias"} << QStringList{}
                                << int(TrainingMark::Trains);
        QTest::newRow("frozen") << QStringList{} << QStringList{} << int(TrainingMark::Frozen);
        QTest::newRow("part") << QStringList{"fc1.bias"} << QStringList{}
                              << int(TrainingMark::Mixed);
        QTest::newRow("blocked") << QStringList{"fc1.bias"} << QStringList{"fc1.bias"}
                                 << int(TrainingMark::Blocked);
    }
    void marksFollowTheParameters() {
        QFETCH(QStringList, trained);
        QFETCH(QStringList, blocked);
        QFETCH(int, expected);
        const auto document = documentOf(smallModel()->graph);
        const auto drawing = drawGraph(document, firstFold(*document), kMetrics);
        OverlayData data;
        data.trainable = {"fc1.weight", "fc1.bias"};
        for (const QString& name : trained) data.trained.insert(name.toStdString());
        for (const QString& name : blocked) data.blocked.insert(name.toStdString());
        const Overlay overlay = makeOverlay(OverlayKind::Training, *drawing, data, lightColors());
        QCOMPARE(int(overlay.marks[1]), expected);
        QCOMPARE(overlay.marks.front(), TrainingMark::None);
        QCOMPARE(overlay.legend.size(), size_t{5});
        const BoxTint& without = overlay.tints.front();
        QCOMPARE(overlay.legend.back().color,
                 blend(lightColors().surface, without.color, without.strength));
    }

    void strongerColoursAreLargerNumbers() {
        const auto document = documentOf(smallModel()->graph);
        const auto drawing = drawGraph(document, firstFold(*document), kMetrics);
        OverlayData data;
        data.heat = {{"fc1.weight", 0.5}, {"fc1.bias", 2}, {"fc2.weight", 8}};
        const Overlay overlay = makeOverlay(OverlayKind::Heat, *drawing, data, lightColors());
        QCOMPARE(overlay.tints[1].note, QString("2"));
        QCOMPARE(overlay.tints[4].note, QString("8"));
        QVERIFY(overlay.tints[4].strength > overlay.tints[1].strength);
        QVERIFY(overlay.tints[2].note.isEmpty());
        data.norms = {{"fc1.weight", 3}, {"fc1.bias", 4}};
        QCOMPARE(makeOverlay(OverlayKind::WeightNorm, *drawing, data, lightColors()).tints[1].note,
                 QString("5"));
    }

private:
    static int lastOutput(const GraphDrawing& drawing) {
        for (size_t i = 0; i < drawing.boxes.size(); ++i)
            if (drawing.boxes[i].kind == BoxKind::Output) return static_cast<int>(i);
        return -1;
    }
};

QTEST_MAIN(GraphDocumentTest)
#include "graph_document_test.moc"
