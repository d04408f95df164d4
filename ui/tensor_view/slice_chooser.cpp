// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/slice_chooser.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSpinBox>
#include <QVBoxLayout>
#include <limits>

#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {

SliceChooser::SliceChooser(QWidget* parent)
    : QWidget(parent), axes_(new QHBoxLayout), indices_(new QHBoxLayout) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    for (QHBoxLayout* row : {axes_, indices_}) {
        row->setSpacing(em(this, 0.4));
        column->addLayout(row);
    }
}

void SliceChooser::setShape(const Shape& shape) {
    shape_ = shape;
    choice_ = lastAxes(shape);
    build();
}

void SliceChooser::build() {
    for (QHBoxLayout* row : {axes_, indices_}) {
        while (QLayoutItem* item = row->takeAt(0)) {
            if (item->widget() != nullptr) {
                item->widget()->hide();
                item->widget()->deleteLater();
            }
            delete item;
        }
    }
    rows_ = columns_ = nullptr;
    setVisible(shape_.size() > 1);
    if (shape_.size() < 2) return;
    rows_ = addAxis(tr("Down"), choice_.rowAxis);
    columns_ = addAxis(tr("Across"), choice_.columnAxis);
    axes_->addStretch(1);
    for (size_t axis = 0; axis < shape_.size(); ++axis) {
        if (static_cast<int64_t>(axis) == choice_.rowAxis ||
            static_cast<int64_t>(axis) == choice_.columnAxis)
            continue;
        const QString name = tr("Axis %1").arg(axis);
        indices_->addWidget(makeLabel(name, "muted", this));
        auto* index = new QSpinBox(this);
        index->setAccessibleName(tr("Index of axis %1").arg(axis));
        index->setRange(0, static_cast<int>(std::min<int64_t>(shape_[axis] - 1,
                                                              std::numeric_limits<int>::max())));
        index->setValue(static_cast<int>(choice_.index[axis]));
        connect(index, &QSpinBox::valueChanged, this, [this, axis](int value) {
            choice_.index[axis] = value;
            emit changed();
        });
        indices_->addWidget(index);
    }
    indices_->addStretch(1);
}

QComboBox* SliceChooser::addAxis(const QString& label, int64_t current) {
    axes_->addWidget(makeLabel(label, "muted", this));
    auto* box = new QComboBox(this);
    box->setAccessibleName(label);
    for (size_t axis = 0; axis < shape_.size(); ++axis)
        box->addItem(tr("axis %1 (%2)").arg(axis).arg(shape_[axis]));
    box->setCurrentIndex(static_cast<int>(current));
    // Queued: the choice rebuilds these boxes.
    connect(box, &QComboBox::activated, this, &SliceChooser::axesChosen, Qt::QueuedConnection);
    axes_->addWidget(box);
    return box;
}

void SliceChooser::axesChosen() {
    if (rows_ == nullptr) return;
    const int64_t rows = rows_->currentIndex(), columns = columns_->currentIndex();
    // If both are the same axis, the other one takes the previous axis of this one.
    if (rows == columns) {
        if (rows != choice_.rowAxis) {
            choice_.columnAxis = choice_.rowAxis;
            choice_.rowAxis = rows;
        } else {
            choice_.rowAxis = choice_.columnAxis;
            choice_.columnAxis = columns;
        }
    } else {
        choice_.rowAxis = rows;
        choice_.columnAxis = columns;
    }
    build();
    emit changed();
}

}  // namespace temper::ui
