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

/// Data ready for training: read, split and normalized.
struct OpenedData {
    DataSpec spec;
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> evaluation;  ///< null if the specification names none
    std::string evaluationOrigin;               ///< the source of the evaluation samples
    /// By column: what was subtracted and divided by, in the units of the source.
    std::map<std::string, Normalization> normalization;
    std::vector<Finding> findings;
    /// As read and split, before filling and normalization.
    std::shared_ptr<const Dataset> rawTraining;
    std::shared_ptr<const Dataset> rawEvaluation;  ///< may be null
    /// How pictures go into the model; their form if the specification has no size=.
    ImageForm form;
};

/// Opens what a specification names. Only the training samples determine classes, means and
/// deviations. `evalSpec`, if not empty, names the evaluation samples (its evaluation part if it
/// has one, else all); they are read and normalized as the training samples. `resolver` supplies
/// files that are not on the disk. `form` of pictures and `target`: what the model takes, if the
/// specification does not say; the target's names, if it has any, number the classes of all
/// samples. The training samples vary in each epoch if the specification requests it. `progress`:
/// of reading all samples, which invalid=drop does. Throws: Error naming the file and, in a table,
/// the line.
OpenedData openData(const std::string& spec, const std::string& evalSpec = {},
                    const FileResolver& resolver = {}, const ImageForm& form = {},
                    const TargetForm& target = {}, const LookProgress& progress = {});

/// Whether the specification itself tells means and deviations, or that there are none, so that
/// none are measured.
bool choosesNormalization(const DataSpec& spec);

/// The data with these normalizations, by column, in place of its own.
/// Throws: Error(InvalidInput) if the number of entries fits neither the sample nor its first axis.
OpenedData normalizedBy(OpenedData data, std::map<std::string, Normalization> normalization);

/// "mean 5.8, 3; deviation 0.8, 0.4"
std::string describeNormalization(const Normalization& normalization);

/// A summary, one fact per line: samples, columns with shape and classes, split, normalization.
std::string describeData(const OpenedData& data);

}  // namespace temper
