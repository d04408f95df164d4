// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace temper::classic {

/// A value that a stage of a pipeline passes on to the next one.
struct PipelineEdge {
    std::string valueName;
    std::vector<std::string> readers;  ///< nodes of later stages that read it; empty: not said

    bool operator==(const PipelineEdge&) const = default;
};
using PipelineCut = std::vector<PipelineEdge>;

/// The cuts between the stages: ',' separates cuts, ':' the values of a cut, '-' a value from its
/// readers, and '/' readers. "12", "1393:407-1463/1585,2369". Source: ONNX Runtime's
/// pipeline_cut_info_string. Throws: Error(InvalidInput) for an empty name, or a value that a cut
/// has twice.
std::vector<PipelineCut> parsePipelineCuts(const std::string& text);

}  // namespace temper::classic
