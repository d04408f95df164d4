// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/spec_command.h"

#include <utility>

namespace temper::ui {

SpecCommand::SpecCommand(const QString& text, TrainingSpec before, TrainingSpec after, Apply apply,
                         int mergeId)
    : QUndoCommand(text),
      before_(std::move(before)),
      after_(std::move(after)),
      apply_(std::move(apply)),
      mergeId_(mergeId) {}

bool SpecCommand::mergeWith(const QUndoCommand* other) {
    if (other->id() != id()) return false;
    after_ = static_cast<const SpecCommand*>(other)->after_;
    setObsolete(before_ == after_);
    return true;
}

}  // namespace temper::ui
