// SPDX-License-Identifier: Apache-2.0
#include "capi/src/checkpoint.h"

#include <utility>

#include "capi/src/arguments.h"
#include "capi/src/arrays.h"
#include "capi/src/artifacts.h"
#include "capi/src/failure.h"

namespace temper::capi {

namespace {

std::vector<std::string> parameterNamesOf(const CheckpointState& state) {
    std::vector<std::string> names;
    for (const Parameter& parameter : state.parameters()) names.push_back(parameter.name);
    return names;
}

/// The state of a checkpoint object, in this thread's turn.
class OpenCheckpoint {
public:
    explicit OpenCheckpoint(TemperCheckpoint* checkpoint)
        : object_(required(checkpoint, "checkpoint")), turn_(*object_.shared) {}

    TemperCheckpoint& object() { return object_; }
    SharedState& shared() { return *object_.shared; }
    CheckpointState& operator*() { return object_.shared->state(); }
    CheckpointState* operator->() { return &object_.shared->state(); }

private:
    TemperCheckpoint& object_;
    Turn turn_;
};

/// A view of a tensor that `views` keeps alive.
TemperArray kept(std::map<std::string, Tensor>& views, const std::string& name,
                 const Tensor& tensor) {
    return viewOf(views.insert_or_assign(name, tensor).first->second);
}

PropertyValue valueOf(const TemperProperty& property) {
    switch (property.kind) {
        case TEMPER_PROPERTY_INT: return property.integer;
        case TEMPER_PROPERTY_FLOAT: return property.number;
        case TEMPER_PROPERTY_TEXT: return requiredText(property.text, "property->text");
        default: throwIndex("kind of property", property.kind, 3);
    }
}

TemperProperty propertyOf(const PropertyValue& value, std::string& text) {
    TemperProperty property = {};
    property.kind = static_cast<int32_t>(value.index());
    if (const auto* integer = std::get_if<int64_t>(&value)) property.integer = *integer;
    if (const auto* number = std::get_if<float>(&value)) property.number = *number;
    if (const auto* found = std::get_if<std::string>(&value)) {
        text = *found;
        property.text = text.c_str();
    }
    return property;
}

}  // namespace

}  // namespace temper::capi

using namespace temper;
using namespace temper::capi;

TemperCheckpoint::TemperCheckpoint(CheckpointState state)
    : shared(std::make_shared<SharedState>(std::move(state))),
      parameterNames(parameterNamesOf(shared->state())) {}

TemperStatus temper_checkpoint_create(const TemperArtifacts* artifacts,
                                      TemperCheckpoint** checkpoint, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(checkpoint, nullptr, "checkpoint");
        const Artifacts& made = required(artifacts, "artifacts").artifacts;
        *checkpoint = new TemperCheckpoint(CheckpointState(made.checkpoint));
    });
}

TemperStatus temper_checkpoint_load(const char* path, TemperCheckpoint** checkpoint,
                                    TemperFailure** failure) {
    return guarded(failure, [&] {
        set(checkpoint, nullptr, "checkpoint");
        *checkpoint = new TemperCheckpoint(CheckpointState::load(requiredPath(path, "path")));
    });
}

TemperStatus temper_checkpoint_from_bytes(const void* bytes, int64_t size,
                                          TemperCheckpoint** checkpoint, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(checkpoint, nullptr, "checkpoint");
        const auto data =
            bytesOf(&required(static_cast<const char*>(bytes), "bytes"), size, "bytes");
        *checkpoint = new TemperCheckpoint(CheckpointState::parse(data));
    });
}

TemperStatus temper_checkpoint_save(TemperCheckpoint* checkpoint, const char* path,
                                    int32_t include_optimizer_state, TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenCheckpoint open(checkpoint);
        open->save(requiredPath(path, "path"), include_optimizer_state != 0);
    });
}

TemperStatus temper_checkpoint_to_bytes(TemperCheckpoint* checkpoint,
                                        int32_t include_optimizer_state, void** bytes,
                                        int64_t* size, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(bytes, nullptr, "bytes");
        set(size, 0, "size");
        OpenCheckpoint open(checkpoint);
        const std::string data =
            serializeCheckpoint(open->toFile(include_optimizer_state != 0), {.sortByName = true});
        *bytes = copyForProgram(data);
        *size = static_cast<int64_t>(data.size());
    });
}

void temper_checkpoint_release(TemperCheckpoint* checkpoint) { delete checkpoint; }

TemperStatus temper_checkpoint_parameters(const TemperCheckpoint* checkpoint, TemperNames* names,
                                          TemperFailure** failure) {
    return guarded(failure, [&] {
        set(names, required(checkpoint, "checkpoint").parameterNames.view(), "names");
    });
}

TemperStatus temper_checkpoint_parameter(TemperCheckpoint* checkpoint, const char* name,
                                         TemperArray* values, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(values, TemperArray{}, "values");
        OpenCheckpoint open(checkpoint);
        const std::string key = requiredText(name, "name");
        *values = kept(open.object().viewedParameters, key, open.shared().ownParameter(key).data);
    });
}

TemperStatus temper_checkpoint_set_parameter(TemperCheckpoint* checkpoint, const char* name,
                                             const TemperArray* values, TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenCheckpoint open(checkpoint);
        const std::string key = requiredText(name, "name");
        const Tensor data = tensorFrom(required(values, "values"), "parameter '" + key + "'");
        open.shared().setParameter(key, data);
    });
}

TemperStatus temper_checkpoint_gradient(TemperCheckpoint* checkpoint, const char* name,
                                        TemperArray* gradient, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(gradient, TemperArray{}, "gradient");
        OpenCheckpoint open(checkpoint);
        const std::string key = requiredText(name, "name");
        const Tensor& found = open->parameter(key).gradient;
        if (!found.empty()) *gradient = kept(open.object().viewedGradients, key, found);
    });
}

TemperStatus temper_checkpoint_is_trainable(TemperCheckpoint* checkpoint, const char* name,
                                            int32_t* trainable, TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenCheckpoint open(checkpoint);
        const Parameter& parameter = open->parameter(requiredText(name, "name"));
        set(trainable, parameter.requiresGrad ? 1 : 0, "trainable");
    });
}

TemperStatus temper_checkpoint_steps(TemperCheckpoint* checkpoint, int64_t* steps,
                                     TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenCheckpoint open(checkpoint);
        set(steps, open->optimizerState().step, "steps");
    });
}

TemperStatus temper_checkpoint_is_nominal(TemperCheckpoint* checkpoint, int32_t* nominal,
                                          TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenCheckpoint open(checkpoint);
        set(nominal, open->isNominal() ? 1 : 0, "nominal");
    });
}

TemperStatus temper_checkpoint_properties(TemperCheckpoint* checkpoint, TemperNames* names,
                                          TemperFailure** failure) {
    return guarded(failure, [&] {
        set(names, TemperNames{}, "names");
        OpenCheckpoint open(checkpoint);
        std::vector<std::string> keys;
        for (const auto& [key, value] : open->properties()) keys.push_back(key);
        open.object().propertyNames = NameList(std::move(keys));
        *names = open.object().propertyNames.view();
    });
}

TemperStatus temper_checkpoint_property(TemperCheckpoint* checkpoint, const char* name,
                                        TemperProperty* property, TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenCheckpoint open(checkpoint);
        const PropertyValue& value = open->property(requiredText(name, "name"));
        fill(property, propertyOf(value, open.object().propertyText), "property");
    });
}

TemperStatus temper_checkpoint_set_property(TemperCheckpoint* checkpoint, const char* name,
                                            const TemperProperty* property,
                                            TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenCheckpoint open(checkpoint);
        const TemperProperty given = optionsOf(&required(property, "property"), "property");
        open->setProperty(requiredText(name, "name"), valueOf(given));
    });
}

TemperStatus temper_checkpoint_remove_property(TemperCheckpoint* checkpoint, const char* name,
                                               TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenCheckpoint open(checkpoint);
        const std::string key = requiredText(name, "name");
        static_cast<void>(open->property(key));  // which throws
        open->properties().erase(key);
    });
}
