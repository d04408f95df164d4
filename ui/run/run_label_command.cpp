// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_label_command.h"

#include <tuple>
#include <utility>

namespace temper::ui {

RunLabelCommand::RunLabelCommand(const QString& text, std::vector<StoredRun> before,
                                 std::vector<StoredRun> after, Apply apply)
    : QUndoCommand(text),
      before_(std::move(before)),
      after_(std::move(after)),
      apply_(std::move(apply)) {}

bool haveSameLabels(const StoredRun& a, const StoredRun& b) {
    return std::tie(a.name, a.group, a.notes, a.tags, a.isPinned) ==
           std::tie(b.name, b.group, b.notes, b.tags, b.isPinned);
}

void copyLabels(const StoredRun& from, StoredRun& to) {
    to.name = from.name;
    to.group = from.group;
    to.notes = from.notes;
    to.tags = from.tags;
    to.isPinned = from.isPinned;
}

}  // namespace temper::ui
