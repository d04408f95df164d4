// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/rank_facts.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "engine/core/string_tensor.h"
#include "engine/data/hash.h"
#include "engine/onnx/graph_text.h"

namespace temper {
namespace {

/// Samples that a digest includes: enough to tell data sets of the same form apart.
constexpr int64_t kSamples = 16;

uint64_t hashText(std::string_view text, uint64_t hash = 0) {
    return hashBytes(std::as_bytes(std::span(text)), hash);
}

uint64_t hashTexts(const Tensor& tensor, uint64_t hash) {
    for (const std::string_view text : tensor.values<std::string_view>())
        hash = hashText(text, hash);
    return hash;
}

uint64_t hashTensor(const Tensor& tensor, uint64_t hash) {
    if (tensor.dtype() == DType::String) return hashTexts(tensor, hash);
    const Tensor data = tensor.onHost();
    return hashBytes({data.data(), data.byteSize()}, hash);
}

/// A column's form, with the names of its classes: samples have their numbers.
uint64_t hashColumn(const Column& column, uint64_t hash) {
    hash = hashText(column.name, hash);
    for (const std::string& name : column.classes) hash = hashText(name, hash);
    return hash;
}

std::string digestOfModel(const Graph& model) { return std::to_string(hashText(toText(model))); }

std::string valuesOf(const CheckpointState& state) {
    uint64_t hash = static_cast<uint64_t>(state.optimizerState().step);
    for (const Parameter& parameter : state.parameters())
        hash = hashTensor(parameter.data, hashText(parameter.name, hash));
    for (const auto& [parameter, moments] : state.optimizerState().moments) {
        for (const auto& [name, data] : moments)
            hash = hashTensor(data, hashText(parameter + name, hash));
    }
    return std::to_string(hash);
}

std::string hashesOf(const RankFacts& facts) {
    std::string lines;
    for (const auto& [name, value] : facts) lines += std::to_string(hashText(value)) + '\n';
    return lines;
}

/// The name of the first fact whose lines differ.
std::string differenceOf(const RankFacts& facts, const std::string& a, const std::string& b) {
    std::istringstream linesOfA(a), linesOfB(b);
    std::string lineOfA, lineOfB;
    for (const auto& [name, value] : facts) {
        std::getline(linesOfA, lineOfA);
        std::getline(linesOfB, lineOfB);
        if (lineOfA != lineOfB) return name;
    }
    return "program";
}

}  // namespace

RankFacts factsOf(TrainingSession& session) {
    const Artifacts& artifacts = session.artifacts();
    RankFacts facts;
    facts.emplace_back("training model", digestOfModel(*artifacts.trainingModel));
    if (artifacts.evalModel) facts.emplace_back("eval model", digestOfModel(*artifacts.evalModel));
    if (artifacts.optimizerModel)
        facts.emplace_back("optimizer model", digestOfModel(*artifacts.optimizerModel));
    facts.emplace_back("state", valuesOf(session.state()));
    return facts;
}

std::string digestOf(const Dataset& data) {
    uint64_t hash = static_cast<uint64_t>(data.size());
    std::vector<int64_t> samples;
    for (int64_t i = 0; i < std::min(kSamples, data.size()); ++i)
        samples.push_back(i * data.size() / std::min(kSamples, data.size()));
    for (size_t i = 0; i < data.columns().size(); ++i)
        hash = hashTensor(data.batch(i, samples), hashColumn(data.columns()[i], hash));
    return std::to_string(hash);
}

void requireSame(Group& group, const RankFacts& facts) {
    const std::vector<std::string> hashes = group.gather(hashesOf(facts));
    for (size_t rank = 1; rank < hashes.size(); ++rank) {
        if (hashes[rank] == hashes.front()) continue;
        throw Error(ErrorCode::InvalidInput,
                    "Rank " + std::to_string(rank) + " differs from rank 0 in the " +
                        differenceOf(facts, hashes[rank], hashes.front()) + ".",
                    "Start all ranks with the same program, files and options.");
    }
}

}  // namespace temper
