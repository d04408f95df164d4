// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QUndoCommand>
#include <functional>
#include <vector>

#include "engine/runs/run_store.h"

namespace temper::ui {

/// A change of run labels: name, folder, notes, tags and pin, before and after. Other changes to
/// the runs in the meantime are kept.
class RunLabelCommand : public QUndoCommand {
public:
    /// Sets the labels of the runs to those of the given ones.
    using Apply = std::function<void(const std::vector<StoredRun>&)>;

    RunLabelCommand(const QString& text, std::vector<StoredRun> before,
                    std::vector<StoredRun> after, Apply apply);

    void undo() override { apply_(before_); }
    void redo() override { apply_(after_); }

private:
    std::vector<StoredRun> before_;
    std::vector<StoredRun> after_;
    Apply apply_;
};

/// Whether name, folder, notes, tags and pin are the same.
bool haveSameLabels(const StoredRun& a, const StoredRun& b);
void copyLabels(const StoredRun& from, StoredRun& to);

}  // namespace temper::ui
