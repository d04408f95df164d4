// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "ui/document/draft_store.h"
#include "ui/tasks/ordered_writer.h"

namespace temper::ui {

class StudioProject;

/// Keeps choices from getting lost, without a question. Those of a project go into its folder soon
/// after the last edit and before it closes. Those of a model that has no project go into a draft,
/// which is offered when the model is opened again, and while nothing is open.
/// Thread: the GUI thread.
class Autosave : public QObject {
    Q_OBJECT
public:
    Autosave(StudioProject& project, const QString& draftFolder, QObject* parent = nullptr);

    /// A draft that somebody may want back.
    const std::optional<Draft>& offered() const { return offered_; }
    /// Makes its choices those of the model, as one edit; opens the model first where needed.
    void restore();
    void discard();
    /// Writes what is not written yet before it returns.
    void flush();

signals:
    void offeredChanged();

private:
    void modelChanged();
    void look();
    void useOffered();
    void write();
    void writeDraft();
    void dropDraft();
    bool needsDraft() const;
    std::function<void()> writingDraft();

    StudioProject& project_;
    DraftStore drafts_;
    std::shared_ptr<OrderedWriter> writer_ = std::make_shared<OrderedWriter>();
    std::shared_ptr<DraftFile> own_;  ///< of the model that is open
    std::optional<Draft> offered_;
    QTimer timer_;
    int generation_ = 0;
    bool restoresWhenOpen_ = false;
    bool hasFailed_ = false;  ///< said once, not with every edit
};

}  // namespace temper::ui
