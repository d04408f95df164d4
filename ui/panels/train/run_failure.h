// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "ui/panels/panel.h"
#include "ui/run/run_model.h"
#include "ui/widgets/banner.h"

namespace temper::ui {

class CheckpointPane;

/// Why a run failed, and what can be done about it: numbers that ran away are mended by a lower
/// rate, data that is gone by other data, and anything else by going on.
class RunFailure : public QObject {
    Q_OBJECT
public:
    /// `checkpoints` outlives it.
    RunFailure(const PanelContext& context, CheckpointPane& checkpoints, QObject* parent = nullptr);

    /// Of the run that failed, with its last good state.
    Problem problem() const;
    /// The one that fits the fault best first.
    std::vector<BannerAction> remedies();

private:
    /// The loss or a gradient is what went wrong, so that newer checkpoints may be bad, too.
    bool isOfNumbers() const;
    bool isOfData() const;
    const CheckpointEntry* newestCheckpoint() const;
    std::optional<int64_t> goodStep() const;
    void addRollBack(std::vector<BannerAction>& actions);
    void addContinue(std::vector<BannerAction>& actions);
    void addExplanations(std::vector<BannerAction>& actions);
    void resume();

    PanelContext context_;
    CheckpointPane& checkpoints_;
    bool isResuming_ = false;
};

}  // namespace temper::ui
