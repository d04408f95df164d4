// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSettings>

#include "ui/capture/capture_module.h"
#include "ui/commands/command_registry.h"
#include "ui/commands/navigator.h"
#include "ui/docks/log/log_model.h"
#include "ui/document/autosave.h"
#include "ui/document/known_projects.h"
#include "ui/document/recent_files.h"
#include "ui/document/studio_project.h"
#include "ui/document/untitled_documents.h"
#include "ui/panels/panel.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_history.h"
#include "ui/run/run_model.h"
#include "ui/run/run_queue.h"
#include "ui/run/training_actions.h"

namespace temper::ui {

/// The objects of the window: the document, its run, and everything shared by pages, docks and
/// menus. It knows no widgets. Thread: the GUI thread.
class Workspace {
public:
    /// `stored` outlives it. Projects not saved yet are below the folder in its key
    /// "scratchFolder".
    explicit Workspace(QSettings& stored);

    /// The context of a page or a dock.
    PanelContext panelContext(DetailView& inspector);
    /// From now on `listener` receives no signals, not even those from the members' destructors.
    void silence(const QObject* listener);

    QSettings& settings;
    StudioProject project;
    UntitledDocuments documents;
    RecentFiles recent;
    KnownProjects projects;
    RunModel run;
    RunController controller;
    RunHistory history;
    Navigator navigator;
    CommandRegistry commands;
    LogModel log;
    TrainingActions training;
    RunQueue queue;
    Autosave autosave;
    CaptureModule capture;
};

}  // namespace temper::ui
