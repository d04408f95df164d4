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

/// Turns the wheel over the middle of a widget as a mouse does; above 0 is away from the person.
void turnWheel(QWidget& widget, int notches, Qt::KeyboardModifiers keys = {});

/// The real window with settings of its own, driven as a person would. Untitled documents are kept
/// without a question: nobody is there to answer.
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

    /// Clicks the button of this name, wherever it is; false where it can't be clicked.
    bool click(const QString& name);
    /// Clicks the stage in the rail.
    bool goTo(const QString& page);
    /// From the start page through the lesson's card to a project that is ready to train.
    bool openLesson(const QString& name);
    /// Text of the message at the top of the window or of a page, if one is shown.
    QString message() const;
    /// Another window in its place, with the same settings: the program was ended and started.
    void reopen();
    QSettings& settings() { return settings_; }
    /// Where the window wants it: another one in its place, in the language that was chosen.
    bool restart();

private:
    void open();

    QTemporaryDir folder_;
    QSettings settings_;
    QPalette system_;
    std::unique_ptr<MainWindow> window_;
};

/// Where pictures for people to look at go: the build folder, or where TEMPER_SCREENS says.
QString screensFolder();
/// Of the picture of this name there; at 200 % (QT_SCALE_FACTOR=2) it ends with "-200".
QString pictureFile(const QString& name);

}  // namespace temper::ui
