// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <optional>
#include <vector>

namespace temper::ui {

/// Numbers separated by commas, such as "100, 500". Committed like a NumberEdit; an empty field is
/// an empty list.
class ListEdit : public QLineEdit {
    Q_OBJECT
public:
    ListEdit(double minimum, double maximum, QWidget* parent = nullptr);

    const std::vector<double>& values() const { return values_; }
    /// Shows the values without valuesEdited(); the same values leave what is being typed.
    void setValues(std::vector<double> values);

signals:
    void valuesEdited(const std::vector<double>& values);

private:
    void check();
    void commit();
    void showValues();
    /// The numbers in the text, if they may be committed.
    std::optional<std::vector<double>> parse() const;

    double minimum_;
    double maximum_;
    std::vector<double> values_;
    QString shown_;  ///< fewer digits than the values have; only another text is an edit
};

}  // namespace temper::ui
