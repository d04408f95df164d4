// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>

#include "engine/core/random.h"
#include "ui/graph_view/layer_network.h"
#include "ui/graph_view/layered_layout.h"

using namespace temper;
using namespace temper::ui;

namespace {

/// A random directed acyclic graph: mostly chains, some long edges.
LayoutInput randomGraph(int boxes, uint64_t seed) {
    Random random(seed);
    LayoutInput input;
    const auto edge = [&](int64_t from, int to) {
        input.edges.push_back({static_cast<int>(from), to, 0, 0});
    };
    for (int box = 0; box < boxes; ++box) {
        input.sizes.emplace_back(60 + static_cast<double>(random.below(120)), 40);
        if (box > 0) edge(box - 1 - random.below(std::min(box, 3)), box);
        if (box > 0 && random.below(5) == 0) edge(random.below(box), box);
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

/// Whether an edge passes through a box to which it does not belong.
bool anyEdgeThroughBox(const LayoutInput& input, const LayoutResult& result) {
    for (size_t e = 0; e < input.edges.size(); ++e) {
        const auto& points = result.edges[e];
        for (size_t p = 1; p < points.size(); ++p) {
            if (std::abs(points[p].x() - points[p - 1].x()) > 1e-6) continue;
            for (size_t b = 0; b < result.boxes.size(); ++b) {
                if (static_cast<int>(b) == input.edges[e].from ||
                    static_cast<int>(b) == input.edges[e].to)
                    continue;
                const QRectF inner = result.boxes[b].adjusted(1, 1, -1, -1);
                const bool across = points[p].x() > inner.left() && points[p].x() < inner.right();
                if (across && points[p - 1].y() < inner.bottom() && points[p].y() > inner.top())
                    return true;
            }
        }
    }
    return false;
}

/// The number of crossing pairs of links between neighbouring rows, by trying all.
long long crossingsByTrying(const LayerNetwork& network) {
    long long count = 0;
    for (const auto& row : network.rows) {
        std::vector<std::pair<int, int>> links;
        for (const int item : row)
            for (auto end = network.below.begin(item); end != network.below.end(item); ++end)
                links.emplace_back(network.position[static_cast<size_t>(item)],
                                   network.position[static_cast<size_t>(end->item)]);
        for (size_t i = 0; i < links.size(); ++i)
            for (size_t j = i + 1; j < links.size(); ++j)
                count +=
                    (links[i].first - links[j].first) * (links[i].second - links[j].second) < 0;
    }
    return count;
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
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            const LayoutInput input = randomGraph(boxes, seed);
            const LayoutResult result = layoutLayers(input);
            QCOMPARE(result.boxes.size(), input.sizes.size());
            QCOMPARE(result.edges.size(), input.edges.size());
            QVERIFY(!anyOverlap(result));
            QVERIFY(!anyEdgeThroughBox(input, result));
            for (size_t e = 0; e < input.edges.size(); ++e) {
                const auto& points = result.edges[e];
                for (size_t i = 1; i < points.size(); ++i)
                    QVERIFY(points[i].y() >= points[i - 1].y());
                QCOMPARE(points.front().y(),
                         result.boxes[static_cast<size_t>(input.edges[e].from)].bottom());
            }
        }
    }

    void aChainIsStraight() {
        LayoutInput input;
        for (int i = 0; i < 6; ++i) input.sizes.emplace_back(50 + 10 * i, 30);
        for (int i = 0; i < 5; ++i) input.edges.push_back({i, i + 1, 0, 0});
        const LayoutResult result = layoutLayers(input);
        for (const QRectF& box : result.boxes)
            QVERIFY(std::abs(box.center().x() - result.boxes.front().center().x()) < 0.01);
    }

    void whatPassesLayersIsStraight() {
        // A chain of six and a shortcut around it: the shortcut bends at its ends only.
        LayoutInput input;
        input.sizes.assign(6, QSizeF(60, 30));
        for (int i = 0; i < 5; ++i) input.edges.push_back({i, i + 1, 0, 0});
        input.edges.push_back({0, 5, 0, 0});
        const LayoutResult result = layoutLayers(input);
        const auto& shortcut = result.edges.back();
        QCOMPARE(shortcut.size(), size_t{4});
        QVERIFY(std::abs(shortcut[1].x() - shortcut[2].x()) < 1e-9);
    }

    void edgesStartAndEndAtTheirPorts() {
        LayoutInput input;
        input.sizes = {QSizeF(200, 40), QSizeF(40, 20), QSizeF(40, 20)};
        input.edges = {{0, 1, -80, 0}, {0, 2, 80, 0}};
        const LayoutResult result = layoutLayers(input);
        const double middle = result.boxes[0].center().x();
        QCOMPARE(result.edges[0].front().x(), middle - 80);
        QCOMPARE(result.edges[1].front().x(), middle + 80);
        QVERIFY(result.boxes[1].center().x() < result.boxes[2].center().x());
    }

    void pinnedBoxesMakeUpTheFirstAndTheLastLayer() {
        LayoutInput input;
        input.sizes = {QSizeF(40, 20), QSizeF(40, 20), QSizeF(40, 20), QSizeF(0, 0), QSizeF(0, 0)};
        input.edges = {{0, 1, 0, 0}, {1, 2, 0, 0}, {3, 2, 0, 0}, {0, 4, 0, 0}};
        input.first = {3};
        input.last = {4};
        const LayoutResult result = layoutLayers(input);
        for (size_t box = 0; box < 3; ++box) {
            QVERIFY(result.boxes[3].bottom() < result.boxes[box].top());
            QVERIFY(result.boxes[4].top() > result.boxes[box].bottom());
        }
    }

    void aTwoLayerTangleIsUntangled() {
        // Crossed as given: 0-3, 1-2; uncrossed when one layer is swapped.
        LayoutInput input;
        input.sizes.assign(4, QSizeF(40, 20));
        input.edges = {{0, 3, 0, 0}, {1, 2, 0, 0}};
        const LayoutResult result = layoutLayers(input);
        const auto x = [&](size_t box) { return result.boxes[box].center().x(); };
        QCOMPARE(x(0) < x(1), x(3) < x(2));
    }

    void crossingsAreCountedAndReduced() {
        for (uint64_t seed = 1; seed <= 5; ++seed) {
            LayerNetwork network = makeLayerNetwork(randomGraph(150, seed));
            const long long before = countCrossings(network);
            QCOMPARE(before, crossingsByTrying(network));
            reduceCrossings(network, {});
            QCOMPARE(countCrossings(network), crossingsByTrying(network));
            QVERIFY2(countCrossings(network) * 3 < before, qPrintable(QString::number(before)));
        }
    }

    void cyclesLoopsAndEmptyGraphsAreDrawn() {
        QVERIFY(layoutLayers({}).boxes.empty());
        LayoutInput input;
        input.sizes.assign(3, QSizeF(40, 20));
        input.edges = {{0, 1, 0, 0}, {1, 2, 0, 0}, {2, 0, 0, 0}, {1, 1, 0, 0}};
        const LayoutResult result = layoutLayers(input);
        QCOMPARE(result.boxes.size(), size_t{3});
        QVERIFY(!anyOverlap(result));
        QVERIFY(result.edges[2].front().y() > result.edges[2].back().y());
    }

    void theSameInputGivesTheSameDrawing() {
        const LayoutInput input = randomGraph(300, 11);
        const LayoutResult first = layoutLayers(input), second = layoutLayers(input);
        QVERIFY(first.boxes == second.boxes);
        QVERIFY(first.edges == second.edges);
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
