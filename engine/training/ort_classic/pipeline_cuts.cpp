// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/pipeline_cuts.h"

#include <algorithm>
#include <sstream>

#include "engine/core/error.h"

namespace temper::classic {
namespace {

void requireName(const std::string& name, const std::string& text) {
    if (!name.empty()) return;
    throw Error(ErrorCode::InvalidInput,
                "'pipeline_cut_info_string' has an empty name in '" + text + "'.",
                "Write the values between two stages like 'a:b', and cuts like 'a,b'.");
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text + separator);
    for (std::string part; std::getline(stream, part, separator);) {
        requireName(part, text);
        parts.push_back(part);
    }
    return parts;
}

/// Names of readers may contain '-'.
PipelineEdge edgeOf(const std::string& text) {
    const size_t dash = text.find('-');
    if (dash == std::string::npos) return {text, {}};
    requireName(text.substr(0, dash), text);
    return {text.substr(0, dash), split(text.substr(dash + 1), '/')};
}

PipelineCut cutOf(const std::string& text) {
    PipelineCut cut;
    for (const std::string& part : split(text, ':')) {
        PipelineEdge edge = edgeOf(part);
        if (std::ranges::find(cut, edge.valueName, &PipelineEdge::valueName) != cut.end()) {
            throw Error(
                ErrorCode::InvalidInput,
                "'pipeline_cut_info_string' has '" + edge.valueName + "' twice in '" + text + "'.",
                "Name each value of a cut once, with all of its readers like 'a-b/c'.");
        }
        cut.push_back(std::move(edge));
    }
    return cut;
}

}  // namespace

std::vector<PipelineCut> parsePipelineCuts(const std::string& text) {
    std::vector<PipelineCut> cuts;
    if (text.empty()) return cuts;
    for (const std::string& cut : split(text, ',')) cuts.push_back(cutOf(cut));
    return cuts;
}

}  // namespace temper::classic
