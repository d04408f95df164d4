// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QWidget>

class QListWidget;

namespace temper::ui {

class RecentFiles;

/// A lesson as a card that opens it.
class LessonCard : public QFrame {
    Q_OBJECT
public:
    LessonCard(const QString& name, const QString& title, const QString& summary,
               QWidget* parent = nullptr);

signals:
    void opened(const QString& name);

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    QString name_;
};

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
    void refreshRecent();

    RecentFiles& recent_;
    QListWidget* files_ = nullptr;
    QWidget* noFiles_ = nullptr;
};

}  // namespace temper::ui
