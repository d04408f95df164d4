// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "ui/main_window.h"
#include "ui/panels/export/export_panel.h"
#include "ui/panels/train/checkpoint_pane.h"
#include "ui/panels/train/train_panel.h"
#include "ui/plots/plot_view.h"
#include "ui/window/actions/appearance_actions.h"
#include "ui/window/actions/open_actions.h"
#include "ui/window/messages.h"
#include "ui/window/page_stack.h"
#include "ui/window/window_docks.h"

namespace temper::ui {

/// Turns the wheel over the middle of a widget like a mouse; above 0 is away from the person.
void turnWheel(QWidget& widget, int notches, Qt::KeyboardModifiers keys = {});

/// The real window with separate settings, used as by a person. Untitled documents are kept without
/// a question: nobody is there to answer.
class WindowDriver {
public:
    WindowDriver();
    ~WindowDriver();

    MainWindow& window() { return *window_; }
    StudioProject& project() { return window_->work().project; }
    RunModel& run() { return window_->work().run; }
    TrainPanel& trainPanel();
    ExportPanel& exportPanel();
    QString filePath(const QString& name) const { return folder_.filePath(name); }

    /// Clicks the button with this name, wherever it is; false if it can't be clicked.
    bool click(const QString& name);
    /// Clicks the stage in the rail.
    bool goTo(const QString& page);
    /// From the start page through the lesson's card to a project that is ready to train.
    bool openLesson(const QString& name);
    /// Text of the messages at the top of the window and of its page, if any are shown.
    QString message() const;
    /// Replaces the window by a new one with the same settings, as after a restart of the program.
    void reopen();
    QSettings& settings() { return settings_; }
    /// Saves a picture of the window, or of its dialog or list, as soon as no task runs.
    bool savePicture(const QString& name, QWidget* part = nullptr);
    /// If the window requests it, replaces it by one in the chosen language.
    bool restart();

private:
    void open();

    QTemporaryDir folder_;
    QSettings settings_;
    QPalette system_;
    std::unique_ptr<MainWindow> window_;
};

/// The folder of pictures for people to look at: the build folder, or TEMPER_SCREENS.
QString screensFolder();
/// The path of the picture with this name there; at 200 % (QT_SCALE_FACTOR=2) it ends with "-200".
QString pictureFile(const QString& name);

}  // namespace temper::ui
