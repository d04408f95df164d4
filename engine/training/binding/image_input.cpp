// SPDX-License-Identifier: Apache-2.0
#include "engine/training/binding/image_input.h"

#include <cmath>

namespace temper {
namespace {

bool isChannels(const Dim& dim) { return dim.value == 1 || dim.value == 3; }

/// 0 if the dimension is unknown.
int64_t sizeOf(const Dim& dim) { return dim.isNumber() ? dim.value : 0; }

ImageForm formOfPlanes(const SymbolicShape& shape) {
    if (isChannels(shape[1]) || !isChannels(shape[3])) {
        const int64_t channels = isChannels(shape[1]) ? shape[1].value : 0;
        return {channels, sizeOf(shape[2]), sizeOf(shape[3]), false};
    }
    return {shape[3].value, sizeOf(shape[1]), sizeOf(shape[2]), true};
}

ImageForm formOfPixels(int64_t count) {
    for (const int64_t channels : {1, 3}) {
        if (count % channels != 0) continue;
        const int64_t side = std::llround(std::sqrt(static_cast<double>(count / channels)));
        if (side > 1 && side * side * channels == count) return {channels, side, side, false};
    }
    return {};
}

}  // namespace

ImageForm imageFormOf(std::span<const ValueType> inputs) {
    ImageForm form;
    for (const ValueType& type : inputs) {
        if (type.rank() == 4) return formOfPlanes(*type.shape);
        if (type.rank() != 2 || form.width != 0 || !isFloating(type.dtype)) continue;
        form = formOfPixels(sizeOf((*type.shape)[1]));
    }
    return form;
}

ImageForm imageFormOf(const Graph& model) {
    std::vector<ValueType> types;
    for (const Value* input : model.inputs()) types.push_back(input->type());
    return imageFormOf(types);
}

ImageForm imageFormOf(const TrainingSession& session) {
    std::vector<ValueType> types;
    for (const std::string& name : session.inputNames()) types.push_back(session.inputType(name));
    return imageFormOf(types);
}

}  // namespace temper
