// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/panels/panel.h"

class QLabel;
class QPushButton;
class QSlider;
class QTableView;

namespace temper::ui {

class CheckpointListModel;
struct CheckpointSide;
struct Problem;

/// The checkpoints of the run: save, load, view.
class CheckpointPane : public QWidget {
    Q_OBJECT
public:
    explicit CheckpointPane(const PanelContext& context, QWidget* parent = nullptr);

    /// Writes the state, with the optimizer's, to a file and lists it; also while training.
    void save(const QString& path);
    /// Restores the state of a file; the next start continues from it.
    void load(const QString& path);
    /// Opens a file to look at.
    void view(const QString& path);
    /// Restores the parameters that fit, after load() reported that not all do.
    void loadMatching(const QString& path);
    /// Compares a file with the current state.
    void compareWithState(const QString& path);
    /// Compares the two selected files, or the selected one with the one before it.
    void compareSelected();

signals:
    /// `remark`: why the file may belong to another model; empty if nothing speaks for it.
    void loaded(qlonglong step, const temper::ui::Problem& remark);
    void failed(const temper::ui::Problem& problem);
    /// The file's parameters differ from the model's.
    void misfit(const temper::ui::Problem& problem, const QString& path);

private:
    QWidget* buildButtons();
    void refresh();
    void askSave();
    void askLoad();
    void chooseFolder();
    void assign(const QString& path);
    void adopt(int64_t step, const QString& path, const Problem& remark);
    QString selected() const;
    QWidget* buildTimeline();
    void refreshTimeline();
    void showCompared(const CheckpointSide& first, const CheckpointSide& second);

    PanelContext context_;
    CheckpointListModel* model_;
    QTableView* table_;
    QWidget* empty_;
    QPushButton* save_ = nullptr;
    QPushButton* load_ = nullptr;
    QPushButton* view_ = nullptr;
    QPushButton* compare_ = nullptr;
    QSlider* timeline_ = nullptr;
    QLabel* moment_ = nullptr;
    QWidget* timelineRow_ = nullptr;
};

}  // namespace temper::ui
