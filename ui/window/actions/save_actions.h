// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Saves the project: in its folder, only its choices, or all of it as one file.
class SaveActions : public ActionGroup {
    Q_OBJECT
public:
    explicit SaveActions(const WindowContext& context);

private:
    void save();
    void askSaveAs();
    void askSaveChoices();
    /// Saves everything, to keep or to move; or without the runs, to hand out.
    void askSaveArchive(bool withRuns);
    void archiveSaved(const QString& path, qint64 bytes, const QStringList& leftOut);
    void archiveOpened(const QString& path, bool wasThere);
    void projectSaved(const QString& folder);

    bool tellsPlace_ = false;  ///< a person asked to save, so the result is reported
};

}  // namespace temper::ui
