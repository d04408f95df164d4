// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>
#include <vector>

#include "ui/graph_view/layered_layout.h"

namespace temper::ui {

/// Neighbours of all items in one array; those of item i are at begins[i] to begins[i + 1].
struct Adjacency {
    struct End {
        int item = 0;
        double offset = 0;     ///< at this end, from the item's middle
        double ownOffset = 0;  ///< at the item itself
    };
    std::vector<int> begins;
    std::vector<End> ends;

    const End* begin(int item) const { return ends.data() + begins[static_cast<size_t>(item)]; }
    const End* end(int item) const { return ends.data() + begins[static_cast<size_t>(item) + 1]; }
    int count(int item) const { return static_cast<int>(end(item) - begin(item)); }
    End* mutableBegin(int item) { return ends.data() + begins[static_cast<size_t>(item)]; }
    End* mutableEnd(int item) { return ends.data() + begins[static_cast<size_t>(item) + 1]; }
};

/// The layout's graph with proper layers: boxes are items 0 to n-1, followed by the points where
/// long edges pass a layer. Every link joins adjacent layers.
struct LayerNetwork {
    int boxes = 0;
    std::vector<int> layer;              ///< by item
    std::vector<double> width;           ///< by item; 0 for a passing edge
    std::vector<std::vector<int>> rows;  ///< items by layer, from left to right
    std::vector<int> position;           ///< by item: index in its row
    Adjacency above;
    Adjacency below;
    std::vector<std::vector<int>> paths;  ///< items that each edge visits, from top to bottom
    std::vector<bool> reversed;           ///< by edge: it runs upwards, its path is from `to`

    int items() const { return static_cast<int>(layer.size()); }
    bool isPassage(int item) const { return item >= boxes; }
    void number(const std::vector<int>& row) {
        for (size_t i = 0; i < row.size(); ++i)
            position[static_cast<size_t>(row[i])] = static_cast<int>(i);
    }
};

/// Assigns layers and adds the passages of long edges; edges with the same origin share them. Rows
/// are in the order of the boxes.
LayerNetwork makeLayerNetwork(const LayoutInput& input);

/// Orders the rows to reduce crossings of links.
void reduceCrossings(LayerNetwork& network, const std::stop_token& stop);

/// Crossings between all adjacent rows; perhaps fewer, but not less than `enough`, if there are
/// that many.
long long countCrossings(const LayerNetwork& network,
                         long long enough = std::numeric_limits<long long>::max());

/// The middle of each item (Brandes, Köpf 2002: "Fast and Simple Horizontal Coordinate Assignment";
/// blocks are placed by longest paths, as the 2020 erratum requires).
std::vector<double> placeItems(LayerNetwork& network, double boxGap, double edgeGap);

}  // namespace temper::ui
