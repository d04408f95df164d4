// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "engine/training/rehearsal/rehearsal.h"
#include "ui/widgets/busy_buttons.h"

class QLabel;
class QPushButton;

namespace temper::ui {

class Banner;
class PlotView;
class StudioProject;

/// Checks before the start whether model, data and loss fit together: one batch learned by heart,
/// and gradients compared with differences of the loss.
class SoundnessCard : public QFrame {
    Q_OBJECT
public:
    explicit SoundnessCard(StudioProject& project, QWidget* parent = nullptr);

    const OneBatch& batch() const { return batch_; }
    const std::vector<GradientCheck>& gradients() const { return gradients_; }

private:
    QWidget* buildButtons();
    void learnBatch();
    void checkGradients();
    void showBatch(const OneBatch& learned);
    void showGradients(std::vector<GradientCheck> checks);
    /// Cancels the running check and drops results, which do not hold for other choices.
    void forget();
    void finish();
    void refresh();
    template <typename Result, typename Work, typename Show>
    void start(const QString& title, const QString& failure, Work work, Show show);

    StudioProject& project_;
    Banner* banner_ = nullptr;
    QPushButton* learn_ = nullptr;
    QPushButton* check_ = nullptr;
    QPushButton* cancel_ = nullptr;
    QLabel* learned_ = nullptr;
    QLabel* checked_ = nullptr;
    PlotView* plot_ = nullptr;
    OneBatch batch_;
    std::vector<GradientCheck> gradients_;
    BusyButtons buttons_;
    int task_ = 0;
};

}  // namespace temper::ui
