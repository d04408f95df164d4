// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/batch_loader.h"
#include "engine/data/dataset.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// Which data column feeds which input of the model, and the problems with that.
struct BindingProposal {
    std::map<std::string, std::string> binding;  ///< input name to column name
    /// Inputs without a column that have a value anyway, and what it is: "ones".
    std::map<std::string, std::string> defaults = {};
    std::vector<Finding> findings;
};

/// Proposes a column for each user input: the labels for the target, the column of the same name
/// (which takes precedence if the loss has several targets), the only one of fitting type and
/// shape. `given` overrides.
/// D001 an input stays unbound, D002 a column does not fit its input (also: one number for a batch,
/// a batch that is not the first axis, labels along another axis than the loss reads, or a target
/// that was read as numbers although the loss reads classes), D003 labels are outside the
/// prediction's classes, D004 `given` names an unknown input or column, D121 sequences are too
/// short for the labels made from them, D123 targets are outside what the loss takes (see
/// findTargetsOutOfRange()); all are errors. D122 warns of labels whose shape fits
/// classes along two axes of the logits, D126 of names of classes that are numbers to the loss.
/// D120 (info) says what feeds an input without a column: see DefaultInputs.
BindingProposal proposeBinding(const TrainingSession& session, const Dataset& data,
                               const std::map<std::string, std::string>& given);

/// What a loader has to read for the inputs, in the order of session.inputNames(training).
/// An input without a column is fed with its default, if it has one.
/// Throws: Error(InvalidInput) naming an input without either or a column that does not fit.
std::vector<BatchField> batchFields(const TrainingSession& session, const Dataset& data,
                                    const std::map<std::string, std::string>& binding,
                                    bool training);

/// The same for one input of a model and the column that feeds it. Throws: Error(InvalidInput).
BatchField fieldFor(const std::string& input, const ValueType& type, const Column& column);

/// Whether values of a column or array of type `given` can become elements of an input without
/// losing their meaning: whole numbers and booleans may become floating-point numbers.
bool takesValuesOf(DType input, DType given);

/// The batch size that the inputs' types prescribe, if any.
std::optional<int64_t> fixedBatchSize(const TrainingSession& session, bool training);

}  // namespace temper
