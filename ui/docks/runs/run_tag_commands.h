// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <vector>

#include "engine/runs/run_store.h"

class QWidget;

namespace temper::ui {

class RunHistory;
class TagDelegate;

/// Tags in the history of runs: all that are in use, and how runs get them.
class RunTagCommands : public QObject {
    Q_OBJECT
public:
    RunTagCommands(RunHistory& history, QWidget* parent);

    /// Of the column of tags.
    TagDelegate* delegate() const { return delegate_; }
    /// Those of all runs, each once, in alphabetical order.
    static QStringList tagsOf(const std::vector<StoredRun>& runs);
    /// A run has the tags of a text, and no others.
    void set(int64_t run, const QString& typed);
    /// Asks for tags and adds them to some runs.
    void askAdd(const std::vector<int64_t>& runs);
    void add(const std::vector<int64_t>& runs, const QString& typed);

private:
    RunHistory& history_;
    QWidget* page_;
    TagDelegate* delegate_;
};

}  // namespace temper::ui
