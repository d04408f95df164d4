// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

#include "ui/commands/navigator.h"
#include "ui/panels/stage.h"

class QSettings;

namespace temper::ui {

class StudioProject;
class RunModel;
class RunController;
class RunHistory;
class TrainingActions;
class CommandRegistry;
class DetailView;
class LogModel;

/// What a panel works with; all of it outlives the panel.
struct PanelContext {
    StudioProject& project;
    RunModel& run;
    RunController& controller;
    Navigator& navigator;
    RunHistory& history;
    TrainingActions& training;
    /// Actions of a page belong here, so that menus, shortcuts and the palette have them.
    CommandRegistry& commands;
    /// The inspector at the right: details of what is selected.
    DetailView& inspector;
    LogModel& log;
    QSettings& settings;
};

/// A page of the window.
struct PanelInfo {
    QString id;
    QString title;
    QString icon;
    StageStatus (*status)(const StageContext&);
    QWidget* (*create)(const PanelContext&, QWidget* parent);
    QString term;  ///< that explains the page where nothing on it has a term of its own
};

/// The pages in the order of the work.
std::vector<PanelInfo> panels();

}  // namespace temper::ui
