// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/open_data.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// Receives what opening data has to tell; functions may be empty.
struct DataListener {
    LookProgress progress = {};         ///< of looking at all samples; its `done` begins with 0
    std::function<void()> looked = {};  ///< such a look is over
    std::function<void(const std::string& summary)> summary = {};
    /// Warnings, and what feeds inputs that have no column.
    std::function<void(const std::vector<Finding>&)> findings = {};
};

/// The data of a specification in messages: "data 'train.npz'", without its options.
std::string nameOfData(const std::string& spec);

/// Opens a data specification (and one for evaluation) for the session's model, and checks the
/// samples. `resolver`: see openData(). `classes`: the names of the classes by index, if the
/// samples have to be numbered so. Throws: Error naming the file, or the first finding that is an
/// error.
OpenedData openDataFor(const TrainingSession& session, const std::string& spec,
                       const std::string& evalSpec, const FileResolver& resolver,
                       const DataListener& listener, std::vector<std::string> classes = {});

/// The data normalized as in the run that left the session's state, unless the specification
/// chooses means and deviations; tells for each column with which (D124). Numbers are left as they
/// are if the run had bytes and divided them by 255.
/// Throws: as normalizedBy().
OpenedData normalizedAsKept(TrainingSession& session, OpenedData data,
                            const std::map<std::string, std::string>& binding,
                            const DataListener& listener);

/// The second half of openDataFor(), for samples from elsewhere. `name` and `evalName`: of the data
/// in messages, see nameOfData().
/// Throws: Error(InvalidInput) with the first finding that is an error.
void checkDataFor(const OpenedData& data, const std::string& name, const std::string& evalName,
                  const DataListener& listener);

/// Which column of the data feeds which input; `given` has the user's choices.
/// Throws: Error(InvalidInput) naming what does not fit.
std::map<std::string, std::string> bindColumns(const TrainingSession& session, const Dataset& data,
                                               const std::string& name,
                                               const std::map<std::string, std::string>& given,
                                               const DataListener& listener);

/// The same for the samples of a run: those for evaluation, which may be null, have to fit, too.
std::map<std::string, std::string> bindRunColumns(const TrainingSession& session,
                                                  const OpenedData& data, const std::string& name,
                                                  const std::string& evalName,
                                                  const std::map<std::string, std::string>& given,
                                                  const DataListener& listener);

}  // namespace temper
