// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/training/spec/run_settings.h"

class QComboBox;
class QFormLayout;
class QLabel;

namespace temper::ui {

class MoreSettings;
class StudioProject;

/// The settings of a run, built from their table: a few that every run needs, and more.
class RunForm : public QWidget {
    Q_OBJECT
public:
    explicit RunForm(StudioProject& project, QWidget* parent = nullptr);

    void refresh();
    MoreSettings* more() const { return more_; }

private:
    using RunSetting = Setting<RunSpec>;
    /// The values of a choice and their labels.
    using Options = std::vector<std::pair<QString, QString>>;

    void addAll(SettingInfo::Place place);
    void add(const RunSetting& setting);
    QComboBox* addChoice(const RunSetting& setting, std::function<Options()> options);
    void addPrecision(const RunSetting& setting);
    void addSwitch(const RunSetting& setting);
    void addNumber(const RunSetting& setting, bool isInteger);
    void addMetrics(const RunSetting& setting);
    void addMore();
    void countMore(const RunSpec& run);
    QLabel* addRow(const QString& label, const RunSetting& setting, QWidget* field);
    Options bestBy() const;
    Options namesOf(const RunSetting& setting) const;
    std::optional<int64_t> givenByModel(const RunSetting& setting) const;

    StudioProject& project_;
    QFormLayout* layout_;  ///< to which fields are added
    MoreSettings* more_ = nullptr;
    std::vector<std::function<void(const RunSpec&)>> fields_;
};

}  // namespace temper::ui
