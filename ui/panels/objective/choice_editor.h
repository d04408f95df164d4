// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>

#include "engine/training/spec/training_spec.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace temper::ui {

class Fold;
class HyperForm;
class MoreSettings;
class StudioProject;

/// A choice with its explanation, bound to a Selection of the spec; its hyperparameters are more
/// settings.
class ChoiceEditor : public QWidget {
    Q_OBJECT
public:
    using Accessor = std::function<Selection&(TrainingSpec&)>;

    ChoiceEditor(const QString& what, const std::vector<Choice>& choices, Accessor accessor,
                 StudioProject& project, QWidget* parent = nullptr);

    /// Offers a text that the user writes, instead of a key.
    void allowText(const QString& label, const QString& help);
    /// Makes the current choice explain the editor: "loss", "optimizer" or "schedule".
    void setKind(const QString& kind);
    /// Leaves one line that says what is chosen, "Optimizer: AdamW", and opens the rest. The kind
    /// is set before.
    void fold();
    /// Puts other settings below the hyperparameters. `changed` counts those that differ.
    void addMore(QWidget* settings, std::function<int()> changed);
    void refresh();

private:
    void choose();
    void showText(const QString& written);
    void showMore(const Choice& choice, const Selection& selection);

    QString what_;
    QString kind_;
    const std::vector<Choice>& choices_;
    Accessor accessor_;
    StudioProject& project_;
    QWidget* content_;
    Fold* fold_ = nullptr;
    QComboBox* box_;
    QLabel* help_;
    HyperForm* form_;
    MoreSettings* more_;
    std::function<int()> changedBelow_;  ///< empty: there is nothing below the hyperparameters
    QLineEdit* text_ = nullptr;
    QString textHelp_;
};

}  // namespace temper::ui
