// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/training/spec/training_spec.h"
#include "ui/widgets/fold.h"

namespace temper::ui {

class StudioProject;

/// Settings that most runs leave as they are. Initially closed; what is changed is never hidden at
/// first, and its number is in the title.
class MoreSettings : public Fold {
    Q_OBJECT
public:
    /// Takes ownership of `content`. `what`: whose settings these are, for screen readers: "Run".
    MoreSettings(const QString& what, QWidget* content, QWidget* parent = nullptr);

    /// Opens if something has been changed and nothing was before. For another document
    /// (StudioProject::generation()), it is open only if something is changed.
    void showChanged(int count, int document);

private:
    QString what_;
};

/// What changes are counted from: the choices of the lesson, else the defaults.
TrainingSpec usualChoices(const StudioProject& project);

/// The number of hyperparameters that differ: from those of `usual` if it is the same choice, else
/// from the defaults of `choice`.
int changedHyperParameters(const Choice& choice, const Selection& now, const Selection& usual);

}  // namespace temper::ui
