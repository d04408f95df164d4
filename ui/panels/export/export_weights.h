// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

#include "ui/panels/panel.h"

namespace temper::ui {

/// Chooses the weights that are exported: the last ones, their average, those of a checkpoint of
/// the run, such as the best one, or of any checkpoint file. Without a trained state, as in a
/// project that was opened again, there are only checkpoints.
class ExportWeights : public QComboBox {
    Q_OBJECT
public:
    ExportWeights(const PanelContext& context, QWidget* parent = nullptr);

    /// The average of the weights is chosen.
    bool isAverage() const;
    /// The chosen checkpoint; empty for the model's current weights.
    QString checkpoint() const;
    /// Adds the file, if it is not listed yet, and chooses it.
    void chooseFile(const QString& path);

private:
    enum class Kind { Last, Average, Checkpoint, AskForFile };

    void add(Kind kind, const QString& text, const QString& path = {});
    void refresh();
    void addCheckpoints();
    void activate();
    Kind kindAt(int index) const;

    PanelContext context_;
    QStringList files_;        ///< chosen by the user
    bool hasSession_ = false;  ///< when the weights were listed last
    int chosen_ = 0;           ///< before the file dialog opens
};

}  // namespace temper::ui
