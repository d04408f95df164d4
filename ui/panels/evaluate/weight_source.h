// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <functional>
#include <memory>

#include "engine/training/artifacts/artifacts.h"
#include "engine/training/session/checkpoint_state.h"
#include "ui/messages/problem.h"
#include "ui/panels/panel.h"

namespace temper::ui {

/// A copy of a model's weights, with their origin. Immutable.
struct Weights {
    std::shared_ptr<const Artifacts> artifacts;
    std::shared_ptr<const CheckpointState> state;
    int64_t step = 0;
    Problem remark = {};  ///< why they may not belong to the model; empty if nothing speaks for it
};

/// Chooses weights: the model's current ones, their average, or those of a checkpoint.
class WeightSource : public QComboBox {
    Q_OBJECT
public:
    WeightSource(const PanelContext& context, QWidget* parent = nullptr);

    /// Copies the chosen weights, for a running training between two steps; then calls `done` or
    /// `failed` on this thread.
    void fetch(std::function<void(Weights)> done, std::function<void(const Problem&)> failed);
    /// Chooses the weights of a checkpoint, which is added if it is not listed yet; without a path
    /// the current ones, or their average.
    void choose(const QString& checkpoint, bool isAverage);
    /// Whether the model's current weights are chosen.
    bool isCurrent() const { return currentIndex() <= 0; }
    /// Whether there are weights.
    bool isAvailable() const;

private:
    void refresh();
    void list(const QString& checkpoint, bool isAverage);
    bool isAverage() const;
    std::shared_ptr<const Artifacts> artifacts() const;

    PanelContext context_;
    QStringList files_;  ///< that are no checkpoints of the run
};

}  // namespace temper::ui
