// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QString>
#include <memory>
#include <optional>
#include <stop_token>

#include "engine/ops/op_set.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/spec/training_spec.h"
#include "ui/document/loaded_model.h"

namespace temper::ui {

class ProjectFolder;

/// A project as read, or a model that has no project yet.
struct OpenedProject {
    std::shared_ptr<const LoadedModel> model;
    TrainingSpec spec;
    std::optional<Lesson> lesson;
    std::shared_ptr<ProjectFolder> folder = {};  ///< null: not from a project
    QJsonObject view = {};
    bool isEdited = false;  ///< the choices differ from the saved ones
    QString archive = {};   ///< from which it was unpacked
    bool wasUnpacked = false;
};

/// The project folder of a path that is the folder or its file; empty for anything else.
QString projectFolderOf(const QString& path);

// These all throw Error naming the file. Thread: any.

/// Reads the model that `opened.spec` names, of a file or of a lesson.
void loadModelOf(OpenedProject& opened, const OpSet& ops, const std::stop_token& stop);
/// A model (ONNX) or choices (JSON).
OpenedProject openSource(const QString& path, const OpSet& ops, const std::stop_token& stop);
OpenedProject openLessonProject(const std::string& name, const OpSet& ops,
                                const std::stop_token& stop);
OpenedProject openProject(std::shared_ptr<ProjectFolder> folder, const OpSet& ops,
                          const std::stop_token& stop);
/// Unpacks a project from one file beside it, or among the documents if nothing can be written
/// there. `held`: the folder that this window already has open, if any.
OpenedProject openProjectArchive(const QString& path, const std::shared_ptr<ProjectFolder>& held,
                                 const OpSet& ops, const std::stop_token& stop);

}  // namespace temper::ui
