// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace temper::ui {

class StudioProject;

/// Weights of the classes in the loss, computed from the number of samples per class: buttons that
/// set and remove them, and the weight of each class. Hidden if the loss takes none.
class ClassWeights : public QWidget {
    Q_OBJECT
public:
    explicit ClassWeights(StudioProject& project, QWidget* parent = nullptr);

    void refresh();

private:
    QString weightsText() const;

    StudioProject& project_;
    QPushButton* weigh_;
    QPushButton* remove_;
    QLabel* text_;
};

}  // namespace temper::ui
