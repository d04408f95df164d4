// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QListWidget;
class QToolButton;

namespace temper::ui {

class RecentFiles;
class UntitledDocuments;

/// The first page of the window: untitled documents, lessons, recent files, open.
class StartPage : public QWidget {
    Q_OBJECT
public:
    StartPage(RecentFiles& recent, UntitledDocuments& documents, QWidget* parent = nullptr);

signals:
    void lessonRequested(const QString& name);
    void fileRequested(const QString& path);
    void openRequested();
    /// The user chose what is already open.
    void currentRequested();

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
