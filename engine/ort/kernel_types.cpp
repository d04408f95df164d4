// SPDX-License-Identifier: Apache-2.0
#include "engine/ort/kernel_types.h"

#include <sstream>

namespace temper {
namespace {

struct Row {
    std::string_view domain;
    std::string_view opType;
    std::string_view versions;   ///< ascending: "1 6 7"
    std::string_view signature;  ///< "T i0 i1 o0; axes i2"
};

constexpr Row kTable[] = {
#include "engine/ort/kernel_types_table.inc"
};

/// The newest version that is not newer than the opset; 0 if there is none.
int32_t versionAt(std::string_view versions, int64_t opset) {
    std::istringstream words{std::string(versions)};
    int32_t newest = 0;
    for (int32_t version = 0; words >> version;) {
        if (version <= opset) newest = version;
    }
    return newest;
}

KernelTypes parse(std::string_view signature, int32_t version) {
    KernelTypes types{version, {}};
    std::istringstream entries{std::string(signature)};
    for (std::string entry; std::getline(entries, entry, ';');) {
        std::istringstream words(entry);
        std::string key;
        words >> key;
        std::vector<FormalArgument>& bound = types.constraints[key];
        for (std::string word; words >> word;) {
            bound.push_back(
                {word.front() == 'o', static_cast<uint32_t>(std::stoul(word.substr(1)))});
        }
    }
    return types;
}

}  // namespace

std::optional<KernelTypes> kernelTypesOf(std::string_view domain, std::string_view opType,
                                         int64_t opset) {
    const Row* newest = nullptr;
    int32_t version = 0;
    for (const Row& row : kTable) {
        if (row.opType != opType || row.domain != domain) continue;
        const int32_t of = versionAt(row.versions, opset);
        if (of <= version) continue;
        newest = &row;
        version = of;
    }
    if (newest == nullptr) return std::nullopt;
    return parse(newest->signature, version);
}

}  // namespace temper
