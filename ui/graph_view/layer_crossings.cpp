// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "ui/graph_view/index.h"
#include "ui/graph_view/layer_network.h"

namespace temper::ui {
namespace {

constexpr int kSweeps = 12;
/// Sweeps without improvement before the search stops.
constexpr int kPatience = 4;
/// Up to so many, inserting is faster than merging.
constexpr size_t kFewPlaces = 16;

/// Place of a link's end: that of the item, plus the port's within a wide item.
double placeOf(const LayerNetwork& network, const Adjacency::End& end) {
    const double place = network.position[at(end.item)];
    if (end.offset == 0) return place;
    const double width = network.width[at(end.item)];
    return width > 0 ? place + 0.9 * (end.offset / width) : place;
}

double barycentre(const LayerNetwork& network, const Adjacency& neighbours, int item) {
    if (neighbours.count(item) == 0) return network.position[at(item)];
    double sum = 0;
    for (auto end = neighbours.begin(item); end != neighbours.end(item); ++end)
        sum += placeOf(network, *end);
    return sum / neighbours.count(item);
}

void sortRow(LayerNetwork& network, std::vector<int>& row, const Adjacency& neighbours) {
    std::vector<std::pair<double, int>> keyed;
    keyed.reserve(row.size());
    for (const int item : row) keyed.emplace_back(barycentre(network, neighbours, item), item);
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < row.size(); ++i) row[i] = keyed[i].second;
    network.number(row);
}

/// Sorts a few places; counts pairs as countInversions() does.
long long countByInserting(std::vector<double>& places, size_t begin, size_t end) {
    long long count = 0;
    for (size_t i = begin + 1; i < end; ++i) {
        const double place = places[i];
        size_t to = i;
        for (; to > begin && places[to - 1] > place; --to) places[to] = places[to - 1];
        places[to] = place;
        count += static_cast<long long>(i - to);
    }
    return count;
}

/// Counts pairs (i, j), i before j, with places[i] > places[j], by merging.
long long countInversions(std::vector<double>& places, std::vector<double>& scratch, size_t begin,
                          size_t end) {
    if (end - begin <= kFewPlaces) return countByInserting(places, begin, end);
    const size_t middle = begin + (end - begin) / 2;
    long long count = countInversions(places, scratch, begin, middle) +
                      countInversions(places, scratch, middle, end);
    if (places[middle - 1] <= places[middle]) return count;
    size_t left = begin, right = middle, out = begin;
    while (left < middle || right < end) {
        const bool takeRight = left == middle || (right < end && places[right] < places[left]);
        if (takeRight) count += static_cast<long long>(middle - left);
        scratch[out++] = takeRight ? places[right++] : places[left++];
    }
    std::copy(scratch.begin() + static_cast<long>(begin), scratch.begin() + static_cast<long>(end),
              places.begin() + static_cast<long>(begin));
    return count;
}

/// The lower ends of the links of a row, in the order of their upper ends.
void collectPlaces(const LayerNetwork& network, const std::vector<int>& row,
                   std::vector<double>& places) {
    places.clear();
    std::vector<std::pair<double, double>> ends;
    for (const int item : row) {
        if (network.below.count(item) == 1) {
            places.push_back(placeOf(network, *network.below.begin(item)));
            continue;
        }
        ends.clear();
        for (auto end = network.below.begin(item); end != network.below.end(item); ++end)
            ends.emplace_back(end->ownOffset, placeOf(network, *end));
        std::sort(ends.begin(), ends.end());
        for (const auto& end : ends) places.push_back(end.second);
    }
}

}  // namespace

long long countCrossings(const LayerNetwork& network, long long enough) {
    long long count = 0;
    std::vector<double> places, scratch;
    for (const auto& row : network.rows) {
        if (count >= enough) break;
        collectPlaces(network, row, places);
        scratch.resize(places.size());
        count += countInversions(places, scratch, 0, places.size());
    }
    return count;
}

void reduceCrossings(LayerNetwork& network, const std::stop_token& stop) {
    const size_t rows = network.rows.size();
    auto best = network.rows;
    long long fewest = countCrossings(network);
    for (int sweep = 0, idle = 0; sweep < kSweeps && idle < kPatience && fewest > 0; ++sweep) {
        if (stop.stop_requested()) break;
        const bool down = sweep % 2 == 0;
        for (size_t i = 1; i < rows; ++i)
            sortRow(network, network.rows[down ? i : rows - 1 - i],
                    down ? network.above : network.below);
        const long long crossings = countCrossings(network, fewest);
        ++idle;
        if (crossings >= fewest) continue;
        fewest = crossings;
        best = network.rows;
        idle = 0;
    }
    network.rows = std::move(best);
    for (const auto& row : network.rows) network.number(row);
}

}  // namespace temper::ui
