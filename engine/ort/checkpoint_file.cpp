// SPDX-License-Identifier: Apache-2.0
#include "engine/ort/checkpoint_file.h"

#include <string_view>
#include <unordered_set>

namespace temper {
namespace {

class UniqueNames {
public:
    explicit UniqueNames(std::string what) : what_(std::move(what)) {}

    void add(const std::string& name) {
        if (seen_.insert(name).second) return;
        throw Error(ErrorCode::InvalidInput,
                    what_ + " '" + name + "' appears more than once in the checkpoint.",
                    "Names must be unique; rename one or generate the checkpoint again.");
    }

private:
    std::string what_;
    std::unordered_set<std::string_view> seen_;
};

void requireUniqueNames(const OptimizerGroupState& group) {
    UniqueNames parameters("In optimizer group '" + group.name + "' the state of parameter");
    for (const ParameterState& state : group.parameters) {
        parameters.add(state.parameter);
        UniqueNames moments("Of parameter '" + state.parameter + "' in optimizer group '" +
                            group.name + "' the moment");
        for (const NamedTensor& moment : state.moments) moments.add(moment.name);
    }
}

}  // namespace

std::filesystem::path externalDataPath(const std::filesystem::path& checkpoint) {
    std::filesystem::path path = checkpoint;
    path += ".data";
    return path;
}

bool checkpointHolds(DType dtype) {
    return isInteger(dtype) || dtype == DType::Float32 || dtype == DType::Float64 ||
           dtype == DType::Bool;
}

void requireUniqueNames(const CheckpointFile& checkpoint) {
    UniqueNames parameters("Parameter");
    for (const NamedTensor& parameter : checkpoint.trainable) parameters.add(parameter.name);
    for (const NamedTensor& parameter : checkpoint.frozen) parameters.add(parameter.name);
    UniqueNames groups("Optimizer group");
    for (const OptimizerGroupState& group : checkpoint.optimizerGroups) {
        groups.add(group.name);
        requireUniqueNames(group);
    }
}

}  // namespace temper
