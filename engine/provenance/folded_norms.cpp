// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/folded_norms.h"

#include <map>
#include <string_view>

#include "engine/provenance/exporter_metadata.h"

namespace temper {
namespace {

constexpr std::string_view kRunningMean = ".running_mean";

/// Names of buffers in the module, by their names among the arguments of operations.
std::map<std::string, std::string> buffersOf(const Graph& model) {
    std::map<std::string, std::string> buffers;
    for (SignatureEntry& entry : readSignature(model)) {
        if (entry.kind == InputKind::Buffer) buffers.emplace(entry.alias, std::move(entry.target));
    }
    return buffers;
}

bool isMergedLayer(const Node& node, const OpCatalog& catalog) {
    return catalog.facts(node).takesBias() &&
           operationOf(node).target.find("batch_norm") != std::string::npos;
}

/// batch_norm(input, weight, bias, mean, variance, momentum, epsilon), and variants with booleans
/// in between; PyTorch's momentum None (a mean over all batches) is not a number.
void readNumbers(const Node& layer, FoldedNorm& norm) {
    const std::vector<double> numbers = numbersAmongArguments(layer);
    if (numbers.empty() || numbers.size() > 2) return;
    if (numbers.back() >= 0 && numbers.back() < 1) norm.epsilon = numbers.back();
    const bool hasMomentum = numbers.size() == 2 && numbers[0] >= 0 && numbers[0] <= 1;
    if (hasMomentum) norm.momentum = 1 - numbers[0];
}

std::optional<FoldedNorm> normIn(const Graph& model, const Node& layer,
                                 const std::map<std::string, std::string>& buffers) {
    for (const std::string& alias : operationOf(layer).arguments) {
        const auto found = buffers.find(alias);
        if (found == buffers.end() || !found->second.ends_with(kRunningMean)) continue;
        if (model.find(found->second) != nullptr) return std::nullopt;
        FoldedNorm norm{found->second.substr(0, found->second.size() - kRunningMean.size())};
        readNumbers(layer, norm);
        return norm;
    }
    return std::nullopt;
}

}  // namespace

std::optional<FoldedNorm> foldedNormOf(const Graph& model, const OpCatalog& catalog,
                                       const Node& layer) {
    return isMergedLayer(layer, catalog) ? normIn(model, layer, buffersOf(model)) : std::nullopt;
}

std::vector<FoldedNorm> findFoldedNorms(const Graph& model, const OpCatalog& catalog) {
    const auto buffers = buffersOf(model);
    std::vector<FoldedNorm> norms;
    if (buffers.empty()) return norms;
    for (const Node* node : model.nodes()) {
        if (!isMergedLayer(*node, catalog)) continue;
        if (auto norm = normIn(model, *node, buffers)) norms.push_back(std::move(*norm));
    }
    return norms;
}

}  // namespace temper
