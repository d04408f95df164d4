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
class RunQueue;
class TrainingActions;
class CommandRegistry;
class DetailView;
class LogModel;
class CaptureModule;

/// The context of a panel; all of it outlives the panel.
struct PanelContext {
    StudioProject& project;
    RunModel& run;
    RunController& controller;
    Navigator& navigator;
    RunHistory& history;
    RunQueue& queue;
    TrainingActions& training;
    /// Actions of a page are registered here for menus, shortcuts and the palette.
    CommandRegistry& commands;
    /// The inspector on the right: details of the selection.
    DetailView& inspector;
    LogModel& log;
    QSettings& settings;
    CaptureModule& capture;
};

/// A page of the window.
struct PanelInfo {
    QString id;
    QString title;
    QString icon;
    StageStatus (*status)(const StageContext&);
    QWidget* (*create)(const PanelContext&, QWidget* parent);
    QString term;  ///< explains the page where its widgets have no term
};

/// The pages in the order of the work.
std::vector<PanelInfo> panels();

}  // namespace temper::ui
