// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/data_file.h"
#include "engine/data/data_spec.h"
#include "engine/data/dataset.h"
#include "engine/data/image_form.h"
#include "engine/data/readable_samples.h"
#include "engine/data/target_form.h"

namespace temper {

/// Data ready for training: read, split and normalised.
struct OpenedData {
    DataSpec spec;
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> evaluation;  ///< null where the specification names none
    std::string evaluationOrigin;               ///< where the evaluation samples come from
    /// By column: what was subtracted and divided by, in the units of the source.
    std::map<std::string, Normalization> normalization;
    std::vector<Finding> findings;
    /// As they were read and split, before filling and normalisation.
    std::shared_ptr<const Dataset> rawTraining;
    std::shared_ptr<const Dataset> rawEvaluation;  ///< or null
    /// Which way pictures go into the model; what it is without size= in the specification.
    ImageForm form;
};

/// Opens what a specification names. The training samples alone decide on classes, means and
/// deviations. `evalSpec`, where not empty, names the evaluation samples (its evaluation part where
/// it has one, else all); they are read and normalised as the training samples. `resolver` gives
/// files that are not on the disk. `form` of pictures and `target`: what the model takes, where the
/// specification does not say it. The training samples vary in each epoch where the specification
/// asks for it. `progress`: of reading all samples, which invalid=drop does. Throws: Error naming
/// the file and, in a table, the line.
OpenedData openData(const std::string& spec, const std::string& evalSpec = {},
                    const FileResolver& resolver = {}, const ImageForm& form = {},
                    const TargetForm& target = {}, const LookProgress& progress = {});

/// What was found, a line per fact: samples, columns with shape and classes, split, normalisation.
std::string describeData(const OpenedData& data);

}  // namespace temper
