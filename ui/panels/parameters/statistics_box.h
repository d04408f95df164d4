// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>

namespace temper::ui {

class StudioProject;

/// Whether batch normalizations keep their running statistics in training: all, none, or, half
/// ticked, those named by the project. Hidden if the model has none.
class StatisticsBox : public QCheckBox {
    Q_OBJECT
public:
    explicit StatisticsBox(StudioProject& project, QWidget* parent = nullptr);

    /// Call when the model or the project's choices have changed.
    void refresh();

protected:
    void nextCheckState() override;

private:
    void choose(bool keeps);

    StudioProject& project_;
};

}  // namespace temper::ui
