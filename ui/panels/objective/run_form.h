// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/training/spec/training_spec.h"

class QFormLayout;
class QLabel;

namespace temper::ui {

class Fold;
class StudioProject;

/// The numbers of a run: how many steps, how large, how they are computed.
class RunForm : public QWidget {
    Q_OBJECT
public:
    explicit RunForm(StudioProject& project, QWidget* parent = nullptr);

    void refresh();
    /// What few runs set, closed at first.
    Fold* more() const { return more_; }

private:
    /// What a choice may be, and how it is called.
    using Options = std::vector<std::pair<QString, QString>>;

    void addPrecision();
    void addStopRules();
    void addMore();
    void addIntervals();
    void addAverageSwitch();
    void addKeeping();
    void addDivergenceGuard();
    void addMetrics();
    void addThreads();
    void countMore(const RunSpec& run);
    QLabel* addRow(const QString& label, const QString& help, QWidget* field);
    Options metrics() const;
    void addChoice(const char* term, const QString& label, const QString& help, const QString& name,
                   std::string RunSpec::*choice, std::function<Options()> options);
    /// `text` stands beside the box, `label` before it.
    void addSwitch(const char* term, const QString& label, const QString& text, const QString& help,
                   const QString& name, bool RunSpec::*choice);
    void addNumber(const char* term, const QString& label, const QString& help, bool integer,
                   double minimum, double maximum, std::function<double(const RunSpec&)> get,
                   std::function<void(RunSpec&, double)> set);

    StudioProject& project_;
    QFormLayout* layout_;  ///< that fields are added to
    Fold* more_ = nullptr;
    std::vector<std::function<void(const RunSpec&)>> fields_;
};

}  // namespace temper::ui
