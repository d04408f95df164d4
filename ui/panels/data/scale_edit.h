// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "ui/document/input_scale.h"

class QComboBox;
class QLabel;

namespace temper::ui {

class ListEdit;

/// Chooses how inputs are normalized; mean and deviation can be typed.
class ScaleEdit : public QWidget {
    Q_OBJECT
public:
    /// `prefix`: of the names of its fields, "data" for "data-normalize", "data-mean", "data-std".
    explicit ScaleEdit(const QString& prefix, QWidget* parent = nullptr);

    /// `samples`: null while there are none; only what fits them can be chosen.
    void show(const DataOptions& options, std::shared_ptr<const LoadedData> samples);

signals:
    void edited(const temper::ui::InputScale& scale);

private:
    ListEdit* makeField(const QString& prefix, const char* name, const QString& label,
                        double minimum);
    void choose();
    void type();
    void showKinds();
    void refresh();

    std::shared_ptr<const LoadedData> data_;
    InputScale scale_;
    bool isTyped_ = false;  ///< the fields stay, even if their numbers have a name
    QComboBox* kind_;
    QWidget* fields_;
    ListEdit* mean_;
    ListEdit* deviation_;
    QLabel* note_;
};

}  // namespace temper::ui
