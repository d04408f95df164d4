// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <map>

namespace temper::ui {

class RunHistory;
class StudioProject;

/// Whose runs the history shows: those of the open project, or also those of all other projects
/// and of untitled documents. Without an open project, all that are known.
class RunScope : public QComboBox {
    Q_OBJECT
public:
    RunScope(RunHistory& history, const StudioProject& project, QWidget* parent = nullptr);

    bool showsOnlyOwn() const;
    bool shows(int64_t run) const;
    /// The names of the projects of all runs that belong to others.
    std::map<int64_t, QString> projectNames() const;

private:
    RunHistory& history_;
    const StudioProject& project_;
};

}  // namespace temper::ui
