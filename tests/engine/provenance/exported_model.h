// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/onnx/graph_text.h"

namespace temper::test {

/// ONNX text with the metadata that PyTorch's exporter adds: its graph signature, the kind or the
/// sources of initializers by name, and the operation with its arguments of nodes by their output.
inline std::unique_ptr<Graph> exportedModel(const std::string& text, const std::string& signature,
                                            const std::map<std::string, std::string>& kinds,
                                            const std::map<std::string, std::string>& sources,
                                            const std::map<std::string, std::string>& operations) {
    auto graph = parseText(text);
    graph->setMetadata(
        {{"pkg.torch.export.ExportedProgram.graph_signature", "\n# inputs\n" + signature}});
    for (const auto& [name, kind] : kinds) {
        graph->at(name)->setMetadata({{"pkg.torch.export.graph_signature.InputSpec.kind", kind}});
    }
    for (const auto& [name, list] : sources) {
        graph->at(name)->setMetadata({{"pkg.onnxscript.optimizer.folded_from", list}});
    }
    for (const auto& [output, operation] : operations) {
        graph->at(output)->producer()->setMetadata(
            {{"pkg.torch.onnx.fx_node",
              "%" + output + " : [num_users=1] = call_function[target=torch.ops.aten." + operation +
                  ", kwargs = {})"}});
    }
    return graph;
}

}  // namespace temper::test
