// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/checkpoint_state.h"

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/onnx/checkpoint_folder.h"

namespace temper {
namespace {

/// The only parameter group that ORT knows.
constexpr const char* kGroup = "group0";

std::string describe(const Tensor& tensor) {
    return std::string(dtypeName(tensor.dtype())) + formatShape(tensor.shape());
}

OptimizerState optimizerStateOf(const OptimizerGroupState& group) {
    OptimizerState state;
    state.step = group.step;
    state.initialLearningRate = group.initialLearningRate;
    for (const ParameterState& parameter : group.parameters) {
        for (const NamedTensor& moment : parameter.moments) {
            state.moments[parameter.parameter][moment.name] = moment.data.clone();
        }
    }
    return state;
}

/// A copy; checkpoints hold no half precision. Source: spec/training_api.md section 10.5.
Tensor widened(const Tensor& moment) {
    const bool isHalf = moment.dtype() == DType::Float16 || moment.dtype() == DType::BFloat16;
    return isHalf ? moment.cast(DType::Float32) : moment.clone();
}

OptimizerGroupState groupOf(const OptimizerState& state) {
    OptimizerGroupState group;
    group.name = kGroup;
    group.step = state.step;
    group.initialLearningRate = state.initialLearningRate;
    for (const auto& [parameter, moments] : state.moments) {
        ParameterState& entry = group.parameters.emplace_back();
        entry.parameter = parameter;
        for (const auto& [name, data] : moments) entry.moments.push_back({name, widened(data)});
    }
    return group;
}

const OptimizerGroupState* findGroup(const CheckpointFile& file) {
    for (const OptimizerGroupState& group : file.optimizerGroups) {
        if (group.name == kGroup) return &group;
    }
    return nullptr;
}

}  // namespace

std::string describe(const Parameter& parameter) {
    return "Parameter(name=" + parameter.name +
           ", requires_grad=" + (parameter.requiresGrad ? "True" : "False") + ")";
}

CheckpointState::CheckpointState(const CheckpointFile& file)
    : properties_(file.properties),
      isNominal_(file.isNominal),
      hasExternalData_(file.hasExternalData) {
    for (const NamedTensor& tensor : file.trainable) {
        addParameter({tensor.name, tensor.data.clone(), {}, true});
    }
    for (const NamedTensor& tensor : file.frozen) {
        Parameter parameter{tensor.name, tensor.data, {}, false};
        if (!parameter.staysAsItIs()) parameter.data = tensor.data.clone();
        addParameter(std::move(parameter));
    }
    if (const OptimizerGroupState* group = findGroup(file)) {
        optimizerState_ = optimizerStateOf(*group);
        hasOptimizerState_ = true;
    }
}

CheckpointState CheckpointState::load(const std::filesystem::path& path) {
    return CheckpointState(loadCheckpoint(path));
}

CheckpointState CheckpointState::parse(std::span<const std::byte> bytes,
                                       const std::string& nameForErrors) {
    return CheckpointState(parseCheckpoint(bytes, nameForErrors));
}

CheckpointFile CheckpointState::toFile(bool includeOptimizerState) const {
    CheckpointFile file;
    file.isNominal = isNominal_;
    file.hasExternalData = hasExternalData_;
    file.properties = properties_;
    for (const Parameter& parameter : parameters_) {
        (parameter.requiresGrad ? file.trainable : file.frozen)
            .push_back({parameter.name, parameter.staysAsItIs() ? parameter.data.onHost()
                                                                : parameter.data.clone()});
    }
    if (includeOptimizerState && hasOptimizerState_) {
        file.optimizerGroups.push_back(groupOf(optimizerState_));
    }
    return file;
}

void CheckpointState::save(const std::filesystem::path& path, bool includeOptimizerState) const {
    WriteOptions options;
    options.sortByName = true;
    if (hasExternalData_) options.smallestExternalTensor = 0;
    writeCheckpoint(toFile(includeOptimizerState), path, options);
}

int64_t CheckpointState::assignMatching(const CheckpointFile& file) {
    int64_t count = 0;
    for (const auto* list : {&file.trainable, &file.frozen}) {
        for (const NamedTensor& tensor : *list) {
            if (!hasParameter(tensor.name)) continue;
            const Tensor& mine = parameter(tensor.name).data;
            if (mine.dtype() != tensor.data.dtype() || mine.shape() != tensor.data.shape())
                continue;
            setParameter(tensor.name, tensor.data);
            ++count;
        }
    }
    if (count > 0) return count;
    throw Error(ErrorCode::InvalidInput,
                "No parameter of the checkpoint matches one of this model in name, type and shape.",
                "Open the model that the checkpoint was saved from.");
}

void CheckpointState::assign(const CheckpointFile& file) {
    const CheckpointState other(file);
    std::string missing;
    for (const Parameter& parameter : parameters_) {
        if (!other.hasParameter(parameter.name)) missing += " " + parameter.name;
    }
    std::string extra;
    for (const Parameter& parameter : other.parameters_) {
        if (!hasParameter(parameter.name)) extra += " " + parameter.name;
    }
    if (!missing.empty() || !extra.empty()) {
        throw Error(ErrorCode::InvalidInput,
                    "The checkpoint does not belong to this model:" +
                        (missing.empty() ? "" : " it lacks" + missing + ";") +
                        (extra.empty() ? "" : " it has unknown" + extra + ";") +
                        " expected the same parameters.",
                    "Open the model that the checkpoint was saved from.");
    }
    for (const Parameter& parameter : other.parameters_) {
        setParameter(parameter.name, parameter.data);
    }
    properties_ = other.properties_;
    if (!other.hasOptimizerState_) return;
    optimizerState_.step = other.optimizerState_.step;
    optimizerState_.initialLearningRate = other.optimizerState_.initialLearningRate;
    hasOptimizerState_ = true;
    for (const auto& [parameter, moments] : other.optimizerState_.moments) {
        for (const auto& [name, data] : moments) {
            Tensor& mine = optimizerState_.moments[parameter][name];
            if (mine.empty() || mine.shape() != data.shape()) {
                mine = hasParameter(parameter) ? data.in(this->parameter(parameter).data.memory())
                                               : data;
            } else {
                mine.assign(mine.dtype() == data.dtype() ? data : data.cast(mine.dtype()));
            }
        }
    }
}

void CheckpointState::moveTo(const std::shared_ptr<DeviceMemory>& memory) {
    for (Parameter& parameter : parameters_) {
        parameter.data = parameter.data.in(memory);
        parameter.gradient = parameter.gradient.in(memory);
    }
    for (auto& [parameter, moments] : optimizerState_.moments) {
        for (auto& [name, data] : moments) data = data.in(memory);
    }
}

void CheckpointState::addParameter(Parameter parameter) {
    positions_.try_emplace(parameter.name, parameters_.size());
    parameters_.push_back(std::move(parameter));
}

bool CheckpointState::hasParameter(std::string_view name) const {
    return positions_.contains(name);
}

Parameter& CheckpointState::parameter(std::string_view name) {
    return const_cast<Parameter&>(std::as_const(*this).parameter(name));
}

const Parameter& CheckpointState::parameter(std::string_view name) const {
    const auto found = positions_.find(name);
    if (found != positions_.end()) return parameters_[found->second];
    throw Error(ErrorCode::NotFound, "Parameter " + std::string(name) + " not found.");
}

Tensor CheckpointState::parameterData(std::string_view name) const {
    const Parameter& source = parameter(name);
    if (isNominal_) {
        throw Error(ErrorCode::State,
                    "Cannot get parameter from a nominal state. Please load the parameter states "
                    "first.");
    }
    return source.data.clone();
}

const PropertyValue& CheckpointState::property(const std::string& name) const {
    const auto found = properties_.find(name);
    if (found != properties_.end()) return found->second;
    throw Error(ErrorCode::NotFound, "No property named " + name + ".");
}

bool CheckpointState::hasProperty(const std::string& name) const {
    return properties_.contains(name);
}

void CheckpointState::setProperty(const std::string& name, PropertyValue value) {
    properties_.insert_or_assign(name, std::move(value));
}

void CheckpointState::setParameter(std::string_view name, const Tensor& data) {
    Parameter& target = parameter(name);
    if (isNominal_) {
        throw Error(
            ErrorCode::State,
            "Cannot copy parameter to a nominal state. Please load all the parameter states "
            "first.");
    }
    if (data.dtype() != target.data.dtype() || data.shape() != target.data.shape()) {
        throw Error(ErrorCode::InvalidInput,
                    "Parameter '" + target.name + "' is " + describe(target.data) + "; found " +
                        describe(data) + ".",
                    "Pass data of the same element type and shape.");
    }
    if (data.address() == target.data.address()) return;
    if (target.staysAsItIs()) {
        target.data = data.clone().in(target.data.memory());  // others keep the shared tensor
    } else {
        target.data.assign(data);
    }
}

}  // namespace temper
