// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QListWidget;
class QToolButton;

namespace temper::ui {

class RecentFiles;

/// Where the window begins: lessons, recent files, open.
class StartPage : public QWidget {
    Q_OBJECT
public:
    StartPage(RecentFiles& recent, QWidget* parent = nullptr);

signals:
    void lessonRequested(const QString& name);
    void fileRequested(const QString& path);
    void openRequested();

private:
    QWidget* buildLessons();
    QWidget* buildRecent();
    QWidget* buildRecentHeader();
    QToolButton* addFileTool(QAction* action, QWidget* parent);
    void refreshRecent();
    void refreshFileActions();
    QString chosenFile() const;
    void pinFile();
    void forgetFile();

    RecentFiles& recent_;
    QListWidget* files_ = nullptr;
    QWidget* noFiles_ = nullptr;
    QAction* pin_ = nullptr;
    QAction* forget_ = nullptr;
};

}  // namespace temper::ui
