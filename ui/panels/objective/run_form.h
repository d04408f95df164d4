// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/training/training_spec.h"

class QFormLayout;

namespace temper::ui {

class StudioProject;

/// The numbers of a run: how many steps, how large, how they are computed.
class RunForm : public QWidget {
    Q_OBJECT
public:
    explicit RunForm(StudioProject& project, QWidget* parent = nullptr);

    void refresh();

private:
    /// What a choice may be, and how it is called.
    using Options = std::vector<std::pair<QString, QString>>;

    void addPrecision();
    void addStopRules();
    Options metrics() const;
    void addChoice(const char* term, const QString& label, const QString& help, const QString& name,
                   std::string RunSpec::*choice, std::function<Options()> options);
    void addNumber(const char* term, const QString& label, const QString& help, bool integer,
                   double minimum, double maximum, std::function<double(const RunSpec&)> get,
                   std::function<void(RunSpec&, double)> set);

    StudioProject& project_;
    QFormLayout* layout_;
    std::vector<std::function<void(const RunSpec&)>> fields_;
};

}  // namespace temper::ui
