// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/data/open_data.h"
#include "engine/data/picture_sample.h"
#include "engine/training/spec/run_spec.h"

namespace temper::ui {

/// What a column's samples look like, so that inputs of one's own can be made alike.
struct SampleStyle {
    bool isSound = false;      ///< see looksLikeSound()
    StrokeStyle strokes = {};  ///< of pictures
};

/// The data of a specification, opened, and its first samples. Immutable.
struct LoadedData {
    OpenedData opened;
    std::vector<Finding> findings;    ///< of reading and of the samples
    std::vector<Tensor> firstBatch;   ///< one per column of the training samples
    std::vector<SampleStyle> styles;  ///< the same
    QString description;              ///< one line per fact

    const std::shared_ptr<const Dataset>& training() const { return opened.training; }
    const std::shared_ptr<const Dataset>& evaluation() const { return opened.evaluation; }
};

/// Whether a column holds pictures that can be shown and drawn.
bool holdsPictures(const Column& column);

/// The first samples that can be read, at most `count`; findings report the others.
std::vector<int64_t> readableSamples(const Dataset& data, int64_t count);

/// Opens the specifications, checks for problems and reads the first samples; pictures in the form
/// that the model takes, targets that could be classes or numbers as the loss takes them. Throws:
/// Error.
std::shared_ptr<const LoadedData> loadData(const std::string& spec, const std::string& evalSpec,
                                           const ImageForm& form = {},
                                           const TargetForm& target = {});

/// Whether a column whose type, classes or numbers, was guessed should be read again for this
/// target.
bool isBetterReadFor(const TargetForm& target, const LoadedData& data);

/// Findings for samples that can't be read (D114); takes time proportional to the number of
/// samples. Empty if cancelled.
std::vector<Finding> findUnreadable(const LoadedData& data, const std::stop_token& stop);

/// A specification for a chosen file. If it has no evaluation samples, samples are set apart as in
/// the specification `before`; if that sets none apart, a fifth, unless there are evaluation
/// samples elsewhere.
std::string proposeDataSpec(const std::string& path, const std::string& before = {},
                            bool isEvaluatedElsewhere = false);
/// The evaluation samples of `run` once it trains on `training`: those of a lesson go with the
/// lesson's training samples.
std::string evaluationBeside(const std::string& training, const RunSpec& run);
/// The specification for a text typed over `before`. If only the path differs, it counts as chosen.
std::string typedDataSpec(const std::string& typed, const std::string& before,
                          bool isEvaluatedElsewhere);

}  // namespace temper::ui
