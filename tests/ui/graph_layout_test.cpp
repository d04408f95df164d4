// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>

#include "engine/core/random.h"
#include "tests/ui/ui_fixture.h"
#include "ui/graph_view/graph_drawing.h"
#include "ui/graph_view/layered_layout.h"

using namespace temper;
using namespace temper::ui;

namespace {

/// A random directed acyclic graph: mostly chains, some long edges.
LayoutInput randomGraph(int boxes, uint64_t seed) {
    Random random(seed);
    LayoutInput input;
    for (int box = 0; box < boxes; ++box) {
        input.sizes.emplace_back(60 + static_cast<double>(random.below(120)), 40);
        if (box > 0) input.edges.emplace_back(box - 1 - random.below(std::min(box, 3)), box);
        if (box > 0 && random.below(5) == 0) input.edges.emplace_back(random.below(box), box);
    }
    return input;
}

bool anyOverlap(const LayoutResult& result) {
    for (size_t i = 0; i < result.boxes.size(); ++i)
        for (size_t j = i + 1; j < result.boxes.size(); ++j)
            if (result.boxes[i].adjusted(0.5, 0.5, -0.5, -0.5).intersects(result.boxes[j]))
                return true;
    return false;
}

}  // namespace

class GraphLayoutTest : public QObject {
    Q_OBJECT

private slots:
    void boxesDoNotOverlapAndEdgesRunDown_data() {
        QTest::addColumn<int>("boxes");
        QTest::newRow("one") << 1;
        QTest::newRow("two") << 2;
        QTest::newRow("forty") << 40;
        QTest::newRow("four hundred") << 400;
    }
    void boxesDoNotOverlapAndEdgesRunDown() {
        QFETCH(int, boxes);
        const LayoutInput input = randomGraph(boxes, 7);
        const LayoutResult result = layoutLayers(input);
        QCOMPARE(result.boxes.size(), input.sizes.size());
        QCOMPARE(result.edges.size(), input.edges.size());
        QVERIFY(!anyOverlap(result));
        for (size_t e = 0; e < input.edges.size(); ++e) {
            const auto& points = result.edges[e];
            for (size_t i = 1; i < points.size(); ++i) QVERIFY(points[i].y() >= points[i - 1].y());
            QCOMPARE(points.front().y(),
                     result.boxes[static_cast<size_t>(input.edges[e].first)].bottom());
        }
    }

    void aChainIsStraight() {
        LayoutInput input;
        for (int i = 0; i < 6; ++i) input.sizes.emplace_back(50 + 10 * i, 30);
        for (int i = 0; i < 5; ++i) input.edges.emplace_back(i, i + 1);
        const LayoutResult result = layoutLayers(input);
        for (const QRectF& box : result.boxes)
            QVERIFY(std::abs(box.center().x() - result.boxes.front().center().x()) < 0.01);
    }

    void aTwoLayerTangleIsUntangled() {
        // Crossed as given: 0-3, 1-2; uncrossed when one layer is swapped.
        LayoutInput input;
        input.sizes.assign(4, QSizeF(40, 20));
        input.edges = {{0, 3}, {1, 2}};
        const LayoutResult result = layoutLayers(input);
        const auto x = [&](size_t box) { return result.boxes[box].center().x(); };
        QCOMPARE(x(0) < x(1), x(3) < x(2));
    }

    void cyclesAndEmptyGraphsAreDrawn() {
        QVERIFY(layoutLayers({}).boxes.empty());
        LayoutInput input;
        input.sizes.assign(3, QSizeF(40, 20));
        input.edges = {{0, 1}, {1, 2}, {2, 0}};
        QCOMPARE(layoutLayers(input).boxes.size(), size_t{3});
    }

    void aModelIsDrawnWithItsInputsOutputsAndParameters() {
        const auto drawing = drawGraph(*smallModel()->graph, {});
        QCOMPARE(drawing->boxes.size(), size_t{6});
        QCOMPARE(drawing->edges.size(), size_t{5});
        QCOMPARE(drawing->boxes.front().kind, BoxKind::Input);
        QCOMPARE(drawing->boxes[1].title, QString("Gemm"));
        QCOMPARE(drawing->boxes[1].parameters,
                 (std::vector<std::string>{"fc1.weight", "fc1.bias"}));
        QCOMPARE(drawing->boxes.back().kind, BoxKind::Output);
    }

    void stoppingGivesUpSoon() {
        std::stop_source source;
        source.request_stop();
        const LayoutInput input = randomGraph(2000, 3);
        QCOMPARE(layoutLayers(input, source.get_token()).boxes.size(), size_t{2000});
    }
};

QTEST_GUILESS_MAIN(GraphLayoutTest)
#include "graph_layout_test.moc"
