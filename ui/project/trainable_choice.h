// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/autodiff/trainability.h"
#include "engine/training/training_spec.h"
#include "ui/project/loaded_model.h"

namespace temper::ui {

/// The parameters that a specification trains: those of class Trainable that its patterns choose.
std::set<std::string> trainedParameters(const std::vector<ParameterInfo>& parameters,
                                        const ArtifactSpec& spec);

/// Says the same with names, in the shorter of both ways; nothing where every parameter trains.
ArtifactSpec withTrainedParameters(ArtifactSpec spec, const std::vector<ParameterInfo>& parameters,
                                   const std::set<std::string>& trained);

enum class TrainablePreset { All, LastLayer, Biases, None };

/// The parameters of a preset. The last layer is the last node that reads parameters.
std::set<std::string> presetParameters(const LoadedModel& model, TrainablePreset preset);

struct ParameterCounts {
    int64_t trainedTensors = 0;
    int64_t trainedElements = 0;
    int64_t frozenTensors = 0;
    int64_t frozenElements = 0;
};

/// Counts over the parameters of class Trainable.
ParameterCounts countParameters(const std::vector<ParameterInfo>& parameters,
                                const std::set<std::string>& trained);

}  // namespace temper::ui
