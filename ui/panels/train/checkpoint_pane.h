// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/panels/panel.h"

class QPushButton;
class QTableView;

namespace temper::ui {

class CheckpointListModel;
struct Problem;

/// The checkpoints of the run: save, load, view.
class CheckpointPane : public QWidget {
    Q_OBJECT
public:
    explicit CheckpointPane(const PanelContext& context, QWidget* parent = nullptr);

    /// Writes the state, with the optimizer's, to a file and lists it; also while training.
    void save(const QString& path);
    /// Puts a file's state in place; the next start continues from it.
    void load(const QString& path);
    /// Opens a file to look at.
    void view(const QString& path);

signals:
    void loaded(qlonglong step);
    void failed(const temper::ui::Problem& problem);

private:
    QWidget* buildButtons();
    void refresh();
    void askSave();
    void askLoad();
    void chooseFolder();
    void assign(const QString& path);
    QString selected() const;

    PanelContext context_;
    CheckpointListModel* model_;
    QTableView* table_;
    QWidget* empty_;
    QPushButton* save_ = nullptr;
    QPushButton* load_ = nullptr;
    QPushButton* view_ = nullptr;
};

}  // namespace temper::ui
