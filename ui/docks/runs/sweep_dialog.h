// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <vector>

#include "engine/training/projects/sweep.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace temper::ui {

/// Asks for one setting and the values that it is to have in a run each.
class SweepDialog : public QDialog {
    Q_OBJECT
public:
    explicit SweepDialog(const TrainingSpec& spec, QWidget* parent = nullptr);

    /// The choices that all runs share.
    const TrainingSpec& spec() const { return spec_; }
    const SweepSetting& setting() const;
    /// Empty if what is typed is not valid.
    const std::vector<std::string>& values() const { return values_; }
    /// "Learning rate", "AdamW: Weight decay".
    QString settingTitle() const { return titleOf(setting()); }

private:
    static QString titleOf(const SweepSetting& setting);
    void chooseSetting();
    void refresh();

    TrainingSpec spec_;
    std::vector<SweepSetting> settings_;
    std::vector<std::string> values_;
    QComboBox* which_;
    QLineEdit* text_;
    QLabel* help_;
    QLabel* runs_;
    QPushButton* add_;
};

}  // namespace temper::ui
