// SPDX-License-Identifier: Apache-2.0
#include "app/cli/profile_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <ostream>
#include <utility>

namespace temper::cli {
namespace {

constexpr size_t kMaxNodes = 40;

double secondsOf(const std::vector<CostRow>& rows) {
    double seconds = 0;
    for (const CostRow& row : rows) seconds += row.cost.seconds;
    return seconds;
}

std::string oneDecimal(double value) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.1f", value);
    return text.data();
}

/// Billions per second; "-" if there is nothing to count.
std::string rateOf(int64_t amount, double seconds) {
    const bool isKnown = amount > 0 && seconds > 0;
    return isKnown ? oneDecimal(static_cast<double>(amount) / seconds / 1e9) : "-";
}

}  // namespace

std::vector<CostRow> costRows(const Profile& profile, const MachinePeaks& peaks,
                              CostGrouping grouping) {
    std::map<std::pair<std::string, std::string>, CostRow> groups;
    for (const Profile::Step& step : profile.steps()) {
        if (step.cost.count == 0) continue;
        const std::string node = grouping == CostGrouping::ByNode ? step.nodeName() : "";
        CostRow& row = groups[{node, step.op}];
        row.node = node;
        row.op = step.op;
        row.cost += step.cost;
        row.leastSeconds += peaks.leastSeconds(step.cost.flops, step.cost.bytes);
    }
    std::vector<CostRow> rows;
    for (auto& [key, row] : groups) rows.push_back(std::move(row));
    std::ranges::stable_sort(rows, std::greater<>(),
                             [](const CostRow& row) { return row.cost.seconds; });
    return rows;
}

Json toJson(const std::vector<CostRow>& rows, int64_t steps) {
    const double total = secondsOf(rows);
    Json list = Json::array();
    for (const CostRow& row : rows) {
        Json item = Json::object();
        if (!row.node.empty()) item["node"] = row.node;
        item["op"] = row.op;
        item["count"] = row.cost.count / steps;
        item["ms"] = row.cost.seconds * 1000 / static_cast<double>(steps);
        item["share"] = total > 0 ? row.cost.seconds / total : 0;
        item["flops"] = row.cost.flops / steps;
        item["bytes"] = row.cost.bytes / steps;
        item["roofline_share"] = row.rooflineShare();
        list.push_back(std::move(item));
    }
    return list;
}

void printCosts(std::ostream& stream, const std::vector<CostRow>& rows, int64_t steps) {
    const bool areNodes = !rows.empty() && !rows.front().node.empty();
    const double total = secondsOf(rows);
    std::vector<std::vector<std::string>> table{
        {"operator", "count", "ms", "share", "GFLOP/s", "GB/s", "roofline"}};
    for (const CostRow& row : rows) {
        if (areNodes && table.size() > kMaxNodes) break;
        const KernelCost& cost = row.cost;
        table.push_back({row.op, std::to_string(cost.count / steps),
                         formatNumber(cost.seconds * 1000 / static_cast<double>(steps)),
                         oneDecimal(total > 0 ? cost.seconds / total * 100 : 0) + " %",
                         rateOf(cost.flops, cost.seconds), rateOf(cost.bytes, cost.seconds),
                         oneDecimal(row.rooflineShare() * 100) + " %"});
        if (areNodes) table.back().push_back(row.node);
    }
    if (areNodes) table.front().emplace_back("node");
    printTable(stream, table, {1, 2, 3, 4, 5, 6});
}

}  // namespace temper::cli
