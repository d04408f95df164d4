// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/training/spec/run_spec.h"

namespace temper {

/// A parameter of the state. Copying it shares the data.
struct Parameter {
    std::string name;
    Tensor data;
    Tensor gradient;  ///< empty() until a Module exists, and for frozen parameters
    bool requiresGrad = false;

    /// Whether no training step changes it. Its data may be shared, e.g. with a mapped file, and
    /// must not be written to: see CheckpointState::setParameter(). Frozen parameters of one
    /// dimension may be running statistics, which training updates.
    bool staysAsItIs() const { return !requiresGrad && data.rank() > 1; }
};

/// "Parameter(name=fc1.weight, requires_grad=True)", as ONNX Runtime prints it.
std::string describe(const Parameter& parameter);

/// The optimizer's state of one group ("group0").
struct OptimizerState {
    int64_t step = 0;  ///< completed optimizer steps
    float initialLearningRate = static_cast<float>(kDefaultLearningRate);
    /// Parameter name to momentum name ("momentum0", "momentum1") to tensor.
    std::map<std::string, std::map<std::string, Tensor>> moments;
};

/// The complete state of a run: parameters, optimizer state and properties. Training changes its
/// tensors in place; Module and Optimizer refer to it and it has to outlive them.
/// Source: spec/training_api.md sections 1 and 2.
/// Thread: not synchronised; between steps it may be read by the thread that trains.
class CheckpointState {
public:
    CheckpointState() = default;
    /// Copies the tensors, except for those that never change, which are shared. The file is
    /// unchanged.
    explicit CheckpointState(const CheckpointFile& file);

    /// A file, or a folder of the older layout; see loadCheckpoint().
    static CheckpointState load(const std::filesystem::path& path);
    /// A file in memory; it can't have external data.
    static CheckpointState parse(std::span<const std::byte> bytes,
                                 const std::string& nameForErrors = "(memory)");
    /// Writes parameters sorted by name as ORT's runtime does; atomically. If the state was loaded
    /// from a checkpoint with external data, all parameters go there again.
    void save(const std::filesystem::path& path, bool includeOptimizerState = false) const;
    /// A copy that shares what never changes: what save() would write.
    CheckpointFile toFile(bool includeOptimizerState) const;
    /// Overwrites parameters and optimizer state in place with those of the same names in the file.
    /// Throws: Error(InvalidInput) naming missing, extra and misshapen parameters.
    void assign(const CheckpointFile& file);
    /// Overwrites the parameters that the file has with the same name, element type and shape;
    /// everything else stays, including the optimizer state. Returns: how many.
    /// Throws: Error(InvalidInput) if there is none.
    int64_t assignMatching(const CheckpointFile& file);

    bool isNominal() const { return isNominal_; }
    void setNominal(bool nominal) { isNominal_ = nominal; }
    /// Parameters came from an external data file, and go to one when the state is saved or a model
    /// exported.
    bool hasExternalData() const { return hasExternalData_; }
    void setHasExternalData(bool has) { hasExternalData_ = has; }

    /// Moves the tensors to that memory; null: the host's. For Module and Optimizer.
    void moveTo(const std::shared_ptr<DeviceMemory>& memory);

    /// Trainable and frozen ones, in file order; they keep their names. Their tensors may be in the
    /// memory of a device.
    std::span<Parameter> parameters() { return parameters_; }
    const std::vector<Parameter>& parameters() const { return parameters_; }
    void addParameter(Parameter parameter);
    bool hasParameter(std::string_view name) const;
    /// Throws: Error(NotFound) "Parameter X not found.".
    Parameter& parameter(std::string_view name);
    const Parameter& parameter(std::string_view name) const;
    /// A copy of the data, in the host's memory. Throws: Error(NotFound); Error(State) for a
    /// nominal state.
    Tensor parameterData(std::string_view name) const;
    /// Copies data into a parameter; one that never changes gets its own tensor. Throws:
    /// Error(InvalidInput) for another dtype or shape, Error(State) for a nominal state.
    void setParameter(std::string_view name, const Tensor& data);

    OptimizerState& optimizerState() { return optimizerState_; }
    const OptimizerState& optimizerState() const { return optimizerState_; }
    bool hasOptimizerState() const { return hasOptimizerState_; }
    void setHasOptimizerState(bool has) { hasOptimizerState_ = has; }

    /// int64, float32 or string, by name.
    std::map<std::string, PropertyValue>& properties() { return properties_; }
    /// Throws: Error(NotFound) "No property named X.".
    const PropertyValue& property(const std::string& name) const;
    bool hasProperty(const std::string& name) const;
    /// Nothing if there is none of this name and type.
    template <typename T>
    std::optional<T> propertyAs(const std::string& name) const {
        const auto found = properties_.find(name);
        if (found == properties_.end()) return std::nullopt;
        const T* value = std::get_if<T>(&found->second);
        return value == nullptr ? std::nullopt : std::optional<T>(*value);
    }
    /// Adds or overwrites; the type may change.
    void setProperty(const std::string& name, PropertyValue value);
    const std::map<std::string, PropertyValue>& properties() const { return properties_; }

private:
    std::vector<Parameter> parameters_;
    std::map<std::string, size_t, std::less<>> positions_;  ///< of the parameters, by name
    OptimizerState optimizerState_;
    std::map<std::string, PropertyValue> properties_;
    bool hasOptimizerState_ = false;
    bool isNominal_ = false;
    bool hasExternalData_ = false;
};

}  // namespace temper
