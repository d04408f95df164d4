// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "engine/data/tensor_slice.h"

class QComboBox;
class QHBoxLayout;
class QSpinBox;

namespace temper::ui {

/// Chooses the two axes of a tensor that run down and across, and the fixed indices of the others.
class SliceChooser : public QWidget {
    Q_OBJECT
public:
    explicit SliceChooser(QWidget* parent = nullptr);

    /// Starts with the last two axes.
    void setShape(const Shape& shape);
    const SliceChoice& choice() const { return choice_; }

signals:
    void changed();

private:
    void build();
    QComboBox* addAxis(const QString& label, int64_t current);
    void axesChosen();

    Shape shape_;
    SliceChoice choice_;
    QHBoxLayout* axes_;
    QHBoxLayout* indices_;
    QComboBox* rows_ = nullptr;
    QComboBox* columns_ = nullptr;
};

}  // namespace temper::ui
