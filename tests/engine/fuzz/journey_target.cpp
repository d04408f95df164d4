// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/fuzz/journey_target.h"

#include <sys/resource.h>

#include <algorithm>

#include "engine/core/file.h"
#include "engine/ops/op_set.h"
#include "tests/engine/fuzz/model_journey.h"
#include "tests/engine/fuzz/model_mutation.h"
#include "tests/engine/fuzz/operator_models.h"

namespace temper::test {
namespace {

constexpr size_t kLargestSeed = 20'000;  // larger ones make a fuzzer slow

std::vector<std::string> lessons() {
    std::vector<std::string> models;
    const std::filesystem::path folder = TEMPER_SOURCE_DIR "/resources/lessons";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == ".onnx") models.push_back(readFile(entry.path()));
    }
    return models;
}

std::vector<std::string> operatorNames() {
    const OpSet ops = standardOps();
    std::vector<std::string> names;
    for (const OpInfo* info : ops.catalog.all()) {
        names.push_back(info->domain.empty() ? info->opType : info->domain + "." + info->opType);
    }
    return names;
}

/// Sizes between this limit and the machine's memory are valid but slow.
void limitMemory() {
    constexpr rlim_t kLargestTensor = 64 << 20;
    rlimit limit{};
    getrlimit(RLIMIT_RSS, &limit);
    limit.rlim_cur = std::min(limit.rlim_max, kLargestTensor);
    setrlimit(RLIMIT_RSS, &limit);  // memoryLimit(), which the system does not enforce
}

ModelMutator mutatorOf(uint64_t seed) {
    static const std::vector<std::string> names = operatorNames();
    return {names, journeySeeds(), seed};
}

}  // namespace

const std::vector<std::string>& journeySeeds() {
    static const std::vector<std::string> seeds = [] {
        std::vector<std::string> found;
        for (const auto& folder : operatorTests()) {
            for (auto& model : operatorModels(folder, kLargestSeed)) {
                found.push_back(std::move(model.bytes));
            }
        }
        return found.empty() ? lessons() : found;
    }();
    return seeds;
}

std::string runJourney(std::span<const std::byte> bytes) {
    static const bool isLimited = (limitMemory(), true);
    static_cast<void>(isLimited);
    for (const auto& [command, refusal] : journeyOf(bytes)) {
        if (!refusal.empty()) return command + ": " + refusal;
    }
    return {};
}

std::string mutateJourney(const std::string& model, uint64_t seed) {
    return mutatorOf(seed).mutated(model);
}

std::string crossJourneys(const std::string& model, const std::string& other, uint64_t seed) {
    return mutatorOf(seed).crossed(model, other);
}

}  // namespace temper::test
