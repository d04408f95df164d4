// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;

namespace temper::ui {

/// The metrics that evaluations measure, one tick each. Without a choice, the usual ones for the
/// loss are ticked.
class MetricTicks : public QWidget {
    Q_OBJECT
public:
    explicit MetricTicks(QWidget* parent = nullptr);

    /// `fitting`: metrics that the loss allows; `usual`: those measured by default. Chosen metrics
    /// that do not fit can be unticked.
    void show(const std::vector<std::string>& fitting, const std::vector<std::string>& usual,
              const std::vector<std::string>& chosen);

signals:
    /// Empty: the usual ones.
    void edited(const std::vector<std::string>& chosen);

private:
    void rebuild(const std::vector<std::string>& keys);
    void edit();

    QLabel* none_;
    std::vector<std::string> keys_;
    std::vector<std::string> usual_;
    std::vector<QCheckBox*> boxes_;
};

}  // namespace temper::ui
