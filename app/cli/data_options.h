// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/cli/cli_context.h"
#include "engine/data/open_data.h"
#include "engine/training/spec/run_spec.h"
#include "engine/training/trainer/trainer.h"

namespace temper::cli {

/// Opens a data specification (and one for evaluation) for the session's model, prints a summary to
/// standard error, and checks the data. `classes`: see temper::openDataFor(). Throws: Error naming
/// the file, or the first finding that is an error.
OpenedData openDataFor(const std::string& spec, const std::string& evalSpec,
                       const TrainingSession& session, CliContext& context,
                       const std::vector<std::string>& classes = {});

/// See temper::normalizedAsKept().
OpenedData normalizedAsKept(TrainingSession& session, OpenedData data,
                            const std::map<std::string, std::string>& binding, CliContext& context);

/// For --help: the kinds of data and their options.
std::string dataHelp();

/// Which column of the data that `spec` names feeds which input; `given` are "input=column".
/// Throws: Error(InvalidInput) naming what does not fit.
std::map<std::string, std::string> bindData(const TrainingSession& session, const Dataset& data,
                                            const std::string& spec,
                                            const std::vector<std::string>& given,
                                            CliContext& context);

/// The same for a run: `spec.binding` contains the user's choices, and all bindings afterwards. The
/// evaluation samples have to fit, too. Throws: Error(InvalidInput) naming what does not fit.
void bindRun(const TrainingSession& session, const OpenedData& data, RunSpec& spec,
             CliContext& context);

/// Parses "input=column" each. Throws: Error(InvalidInput) naming one that is not.
std::map<std::string, std::string> parseBinding(const std::vector<std::string>& texts);

}  // namespace temper::cli
