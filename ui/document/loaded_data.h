// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/data/open_data.h"

namespace temper::ui {

/// The data of a specification, opened, and its first samples. Never changed.
struct LoadedData {
    OpenedData opened;
    std::vector<Finding> findings;   ///< of reading and of the samples
    std::vector<Tensor> firstBatch;  ///< one per column of the training samples
    QString description;             ///< a line per fact

    const std::shared_ptr<const Dataset>& training() const { return opened.training; }
    const std::shared_ptr<const Dataset>& evaluation() const { return opened.evaluation; }
};

/// Opens the specifications, looks for problems and reads the first samples; pictures in the form
/// that the model takes, targets that could be classes or numbers as the loss does. Throws: Error.
std::shared_ptr<const LoadedData> loadData(const std::string& spec, const std::string& evalSpec,
                                           const ImageForm& form = {},
                                           const TargetForm& target = {});

/// Whether a column that was read as classes or as numbers by how it looks had better be read again
/// for this target.
bool isBetterReadFor(const TargetForm& target, const LoadedData& data);

/// What is wrong with samples that can't be read (D114), which takes as long as there are samples;
/// nothing where it was cancelled.
std::vector<Finding> findUnreadable(const LoadedData& data, const std::stop_token& stop);

/// A specification for a file that somebody chose. Without evaluation samples of its own, samples
/// are set apart as in the specification of `before`; if that sets none apart, a fifth, unless
/// there are evaluation samples elsewhere.
std::string proposeDataSpec(const std::string& path, const std::string& before = {},
                            bool isEvaluatedElsewhere = false);
/// What somebody typed in place of `before`. Another path alone is as if it had been chosen.
std::string typedDataSpec(const std::string& typed, const std::string& before,
                          bool isEvaluatedElsewhere);

}  // namespace temper::ui
