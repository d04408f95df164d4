// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QUndoCommand>
#include <functional>

#include "engine/training/spec/training_spec.h"

namespace temper::ui {

/// One change of the specification: the value before and the value after.
class SpecCommand : public QUndoCommand {
public:
    using Apply = std::function<void(const TrainingSpec&)>;

    /// Commands of the same `mergeId` (>= 0) in a row merge, e.g. while a number is typed.
    SpecCommand(const QString& text, TrainingSpec before, TrainingSpec after, Apply apply,
                int mergeId = -1);

    void undo() override { apply_(before_); }
    void redo() override { apply_(after_); }
    int id() const override { return mergeId_; }
    bool mergeWith(const QUndoCommand* other) override;

private:
    TrainingSpec before_;
    TrainingSpec after_;
    Apply apply_;
    int mergeId_;
};

}  // namespace temper::ui
