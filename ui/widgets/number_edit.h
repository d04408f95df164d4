// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <optional>

namespace temper::ui {

/// A number in any usual notation: 0.001, 0,001 or 1e-3; a share also as 80 %. Committed with Enter
/// or by leaving the field; a text that is not a number in the range is marked, refused and not
/// committed.
class NumberEdit : public QLineEdit {
    Q_OBJECT
public:
    enum class Kind { Real, Integer, Share };

    NumberEdit(Kind kind, double minimum, double maximum, QWidget* parent = nullptr);

    /// An empty field means this value, which may be outside the range; the value is shown as an
    /// empty field.
    void setEmptyValue(double value) { emptyValue_ = value; }

    /// One value has a name, such as "off" for 0: it is shown and may be typed instead.
    void setWord(double value, const QString& word);

    double value() const { return value_; }
    /// Shows the value without valueEdited().
    void setValue(double value);
    /// Shows what an empty field means.
    QSize minimumSizeHint() const override;

signals:
    void valueEdited(double value);
    /// The text was not committed; `why` says what would be accepted.
    void refused(const QString& why);

private:
    void check();
    void commit();
    /// The number in the text, if it may be committed.
    bool parse(double& value) const;
    QString textOf(double value) const;
    QString expectation() const;

    Kind kind_;
    double minimum_;
    double maximum_;
    double value_ = 0;
    std::optional<double> emptyValue_;
    double worded_ = 0;
    QString word_;   ///< for worded_; empty: no value has one
    QString shown_;  ///< the text of value_
};

/// The shortest usual notation of a number in files and formulas.
QString numberText(double value);

}  // namespace temper::ui
