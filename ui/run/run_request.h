// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

#include "ui/document/preparation.h"
#include "ui/run/run_controller.h"

namespace temper::ui {

class StudioProject;

/// The run described by a project. Its artifacts must exist.
RunRequest makeRunRequest(const StudioProject& project, bool startOver);

/// What a document has open, and the choices that it belongs to: a run of the same files and
/// edits uses it, so that nothing is read twice.
struct OpenParts {
    TrainingSpec spec;
    std::shared_ptr<const OpSet> ops;
    std::shared_ptr<const LoadedModel> model;
    std::shared_ptr<const LoadedData> data;
    std::shared_ptr<const Preparation> preparation;
};
OpenParts openParts(const StudioProject& project);

/// A run of choices other than the document's, from the beginning: reads model and data where
/// `open` has others, and makes the artifacts. Thread: any.
/// Returns: without artifacts, if it was stopped. Throws: Error naming the first thing that keeps
/// it from training.
RunRequest prepareRun(const TrainingSpec& spec, const OpenParts& open, const std::stop_token& stop);

}  // namespace temper::ui
