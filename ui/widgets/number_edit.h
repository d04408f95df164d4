// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <optional>

namespace temper::ui {

/// A number typed as people write it: 0.001, 0,001 or 1e-3; a share also as 80 %. Committed with
/// Enter or by leaving the field; what is not a number in the range is marked, refused and not
/// committed.
class NumberEdit : public QLineEdit {
    Q_OBJECT
public:
    enum class Kind { Real, Integer, Share };

    NumberEdit(Kind kind, double minimum, double maximum, QWidget* parent = nullptr);

    /// An empty field means this value, which may lie outside of the range, and shows as one.
    void setEmptyValue(double value) { emptyValue_ = value; }

    double value() const { return value_; }
    /// Shows it without valueEdited().
    void setValue(double value);

signals:
    void valueEdited(double value);
    /// What was typed was not committed; `why` says what would be.
    void refused(const QString& why);

private:
    void check();
    void commit();
    /// The number in the text, if it is one that may be committed.
    bool parse(double& value) const;
    QString textOf(double value) const;
    QString expectation() const;

    Kind kind_;
    double minimum_;
    double maximum_;
    double value_ = 0;
    std::optional<double> emptyValue_;
    QString shown_;  ///< as value_ was written
};

/// The shortest usual way to write a number in files and formulas.
QString numberText(double value);

}  // namespace temper::ui
