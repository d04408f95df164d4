// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/checkpoint_state.h"

#include <algorithm>
#include <utility>

#include "capi/src/arguments.h"
#include "capi/src/ort/memory.h"
#include "capi/src/ort/status.h"
#include "capi/src/ort/values.h"

namespace temper::capi::ort {
namespace {

/// The state of a checkpoint, in this thread's turn.
class OpenState {
public:
    explicit OpenState(const OrtCheckpointState* state)
        : shared_(*required(state, "checkpoint_state").shared), turn_(shared_) {}

    SharedState& shared() { return shared_; }
    CheckpointState* operator->() { return &shared_.state(); }

private:
    SharedState& shared_;
    Turn turn_;
};

OrtStatus* load(const char* path, OrtCheckpointState** state) {
    return guarded([&] {
        set(state, nullptr, "checkpoint_state");
        auto loaded = std::make_shared<SharedState>(
            CheckpointState::load(requiredPath(path, "checkpoint_path")));
        *state = new OrtCheckpointState{std::move(loaded)};
    });
}

OrtStatus* loadFromBuffer(const void* bytes, size_t size, OrtCheckpointState** state) {
    return guarded([&] {
        set(state, nullptr, "checkpoint_state");
        const auto data = bytesOf(&required(static_cast<const char*>(bytes), "checkpoint_buffer"),
                                  static_cast<int64_t>(size), "checkpoint_buffer");
        auto loaded = std::make_shared<SharedState>(CheckpointState::parse(data));
        *state = new OrtCheckpointState{std::move(loaded)};
    });
}

OrtStatus* save(OrtCheckpointState* state, const char* path, bool withOptimizerState) {
    return guarded([&] {
        OpenState open(state);
        open->save(requiredPath(path, "checkpoint_path"), withOptimizerState);
    });
}

void release(OrtCheckpointState* state) { delete state; }

// ---- properties --------------------------------------------------------------------------------

PropertyValue valueOf(OrtPropertyType type, const void* value) {
    required(static_cast<const char*>(value), "property_value");
    switch (type) {
        case OrtIntProperty: return *static_cast<const int64_t*>(value);
        case OrtFloatProperty: return *static_cast<const float*>(value);
        case OrtStringProperty: return std::string(static_cast<const char*>(value));
    }
    throwIndex("property type", type, 3);
}

OrtStatus* addProperty(OrtCheckpointState* state, const char* name, OrtPropertyType type,
                       void* value) {
    return guarded([&] {
        OpenState open(state);
        open->setProperty(requiredText(name, "property_name"), valueOf(type, value));
    });
}

template <typename T>
void* copyOfNumber(T number, OrtAllocator* allocator) {
    auto* copy = static_cast<T*>(allocate(allocator, sizeof(T)));
    *copy = number;
    return copy;
}

OrtStatus* getProperty(const OrtCheckpointState* state, const char* name, OrtAllocator* allocator,
                       OrtPropertyType* type, void** value) {
    return guarded([&] {
        required(type, "property_type");
        required(value, "property_value");
        OpenState open(state);
        const PropertyValue& found = open->property(requiredText(name, "property_name"));
        if (const auto* integer = std::get_if<int64_t>(&found)) {
            *value = copyOfNumber(*integer, allocator);
        } else if (const auto* number = std::get_if<float>(&found)) {
            *value = copyOfNumber(*number, allocator);
        } else {
            *value = copyOf(std::get<std::string>(found), allocator);
        }
        *type = static_cast<OrtPropertyType>(found.index());
    });
}

// ---- parameters --------------------------------------------------------------------------------

OrtStatus* getTypeAndShapeOf(const OrtCheckpointState* state, const char* name,
                             OrtTensorTypeAndShapeInfo** info) {
    return guarded([&] {
        OpenState open(state);
        const Parameter& parameter = open->parameter(requiredText(name, "parameter_name"));
        set(info, new OrtTensorTypeAndShapeInfo(infoOf(parameter.data)), "info");
    });
}

OrtStatus* updateParameter(OrtCheckpointState* state, const char* name, OrtValue* values) {
    return guarded([&] {
        OpenState open(state);
        open.shared().setParameter(requiredText(name, "parameter_name"),
                                   required(values, "parameter").tensor);
    });
}

OrtStatus* getParameter(const OrtCheckpointState* state, const char* name, OrtAllocator* allocator,
                        OrtValue** values) {
    return guarded([&] {
        set(values, nullptr, "parameter");
        OpenState open(state);
        const Tensor data = open->parameterData(requiredText(name, "parameter_name"));
        auto copy = std::make_unique<OrtValue>(tensorOf(allocator, data.dtype(), data.shape()));
        copy->tensor.assign(data);
        *values = copy.release();
    });
}

}  // namespace

void addCheckpointFunctions(OrtTrainingApi& api) {
    api.LoadCheckpoint = load;
    api.LoadCheckpointFromBuffer = loadFromBuffer;
    api.SaveCheckpoint = save;
    api.ReleaseCheckpointState = release;
    api.AddProperty = addProperty;
    api.GetProperty = getProperty;
    api.GetParameterTypeAndShape = getTypeAndShapeOf;
    api.UpdateParameter = updateParameter;
    api.GetParameter = getParameter;
}

}  // namespace temper::capi::ort
