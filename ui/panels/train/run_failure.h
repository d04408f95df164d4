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

/// Why a run failed, and its remedies: a lower rate for diverging numbers, other data for missing
/// data, and continuing for anything else.
class RunFailure : public QObject {
    Q_OBJECT
public:
    /// `checkpoints` outlives it.
    RunFailure(const PanelContext& context, CheckpointPane& checkpoints, QObject* parent = nullptr);

    /// The problem of the failed run, with its last good state.
    Problem problem() const;
    /// Whether its data could not be read and has been chosen again.
    bool isMended() const { return isDataLost_ && !isOfData(); }
    /// Remedies for the fault, the best first.
    std::vector<BannerAction> remedies();

private:
    /// Whether the loss or a gradient caused the failure, so that newer checkpoints may also be
    /// bad.
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
    bool isDataLost_ = false;  ///< when it failed
    bool isResuming_ = false;
};

}  // namespace temper::ui
