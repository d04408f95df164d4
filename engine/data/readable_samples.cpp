// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readable_samples.h"

#include <algorithm>

#include "engine/core/counted.h"
#include "engine/core/thread_pool.h"
#include "engine/data/data_health.h"

namespace temper {
namespace {

constexpr int64_t kPiece = 256;      ///< samples between two progress reports
constexpr int64_t kMaxWhole = 2000;  ///< as many pictures are decoded in a few seconds

}  // namespace

std::vector<UnreadableSample> unreadableSamples(const Dataset& data, bool isWhole,
                                                const LookProgress& progress) {
    ThreadPool pool;
    std::vector<UnreadableSample> found;
    std::vector<std::string> problems;
    for (int64_t begin = 0; begin < data.size(); begin += kPiece) {
        if (progress && !progress(begin, data.size())) return found;
        problems.assign(static_cast<size_t>(std::min(kPiece, data.size() - begin)), {});
        pool.forEach(std::ssize(problems), [&](int64_t i) {
            problems[static_cast<size_t>(i)] = data.problem(begin + i, isWhole);
        });
        for (size_t i = 0; i < problems.size(); ++i) {
            if (problems[i].empty()) continue;
            found.push_back({begin + static_cast<int64_t>(i), std::move(problems[i])});
        }
    }
    return found;
}

std::vector<Finding> checkReadable(const Dataset& data, const LookProgress& progress) {
    const bool isWhole = data.size() <= kMaxWhole;
    const std::vector<UnreadableSample> bad = unreadableSamples(data, isWhole, progress);
    if (bad.empty()) return {};
    const std::string count =
        bad.size() == 1 ? "One of " + counted(data.size(), "sample") + " can't be read: "
                        : std::to_string(bad.size()) + " of " + counted(data.size(), "sample") +
                              " can't be read, the first one: ";
    return {dataFinding(
        "D114", Severity::Error, count + bad.front().why,
        "Repair or remove what can't be read, or add invalid=drop to the data to skip it.")};
}

}  // namespace temper
