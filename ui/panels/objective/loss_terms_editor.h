// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "engine/training/loss/weighted_losses.h"

class QPushButton;
class QTableView;

namespace temper::ui {

class ComboDelegate;
class LossTermsModel;
class StudioProject;

/// A loss made of several, as a table: the same as the formula beside it. Hidden if the loss is not
/// a sum of losses.
class LossTermsEditor : public QWidget {
    Q_OBJECT
public:
    explicit LossTermsEditor(StudioProject& project, QWidget* parent = nullptr);

    void refresh();

private:
    QWidget* buildButtons();
    void add();
    void remove();
    void edit(const QString& what, const std::vector<WeightedLoss>& terms);
    QStringList outputs() const;

    StudioProject& project_;
    LossTermsModel* model_;
    QTableView* table_;
    ComboDelegate* outputDelegate_;
    QPushButton* remove_ = nullptr;
};

}  // namespace temper::ui
