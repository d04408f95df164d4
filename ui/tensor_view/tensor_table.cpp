// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/tensor_table.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>
#include <limits>

#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr int kWheelRows = 3;
constexpr int kWheelNotch = 120;

}  // namespace

TensorTable::TensorTable(TaskRunner& tasks, QWidget* parent)
    : QWidget(parent),
      model_(new TensorValueModel(tasks, this)),
      table_(makeTable(model_, this)),
      bar_(new QScrollBar(Qt::Vertical, this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(table_, 1);
    row->addWidget(bar_);
    table_->setAccessibleName(tr("Values of the tensor"));
    table_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->verticalHeader()->show();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setSortingEnabled(true);
    table_->sortByColumn(TensorValueModel::Position, Qt::AscendingOrder);
    table_->installEventFilter(this);
    table_->viewport()->installEventFilter(this);
    bar_->setAccessibleName(tr("Place in the tensor"));
    connect(bar_, &QScrollBar::valueChanged, this,
            [this](int value) { model_->setWindow(value * unit_, visibleRows()); });
    connect(model_, &TensorValueModel::sortingChanged, this, [this] {
        if (model_->first() == 0) bar_->setValue(0);
    });
}

void TensorTable::setTensor(const Tensor& tensor) {
    model_->setTensor(tensor);
    table_->horizontalHeader()->setSortIndicator(TensorValueModel::Position, Qt::AscendingOrder);
    bar_->setValue(0);
    fitWindow();
    // Wide enough for the last position and for the number of the last row.
    const int letter = fontMetrics().averageCharWidth();
    const QString last = model_->indexText(std::max<int64_t>(0, model_->total() - 1));
    table_->setColumnWidth(TensorValueModel::Position,
                           fontMetrics().horizontalAdvance(last) + 3 * letter);
    table_->setColumnWidth(TensorValueModel::Value, 15 * letter);
    const QString number = QLocale().toString(static_cast<qlonglong>(model_->total()));
    table_->verticalHeader()->setFixedWidth(fontMetrics().horizontalAdvance(number) + 2 * letter);
}

int TensorTable::visibleRows() const {
    return std::max(1,
                    table_->viewport()->height() / table_->verticalHeader()->defaultSectionSize());
}

void TensorTable::fitWindow() {
    const int rows = visibleRows();
    const int64_t most = std::max<int64_t>(0, model_->total() - rows);
    unit_ = most / std::numeric_limits<int>::max() + 1;
    bar_->setRange(0, static_cast<int>((most + unit_ - 1) / unit_));
    bar_->setPageStep(static_cast<int>(std::max<int64_t>(1, rows / unit_)));
    bar_->setVisible(most > 0);
    model_->setWindow(model_->first(), rows);
}

void TensorTable::scrollTo(int64_t first) { bar_->setValue(static_cast<int>(first / unit_)); }

void TensorTable::resizeEvent(QResizeEvent*) { fitWindow(); }

void TensorTable::showEvent(QShowEvent*) { fitWindow(); }

bool TensorTable::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == table_->viewport()) fitWindow();
    if (event->type() == QEvent::Wheel && watched == table_->viewport()) {
        const int notches = static_cast<QWheelEvent*>(event)->angleDelta().y();
        bar_->setValue(bar_->value() - notches * kWheelRows / kWheelNotch);
        return true;
    }
    if (event->type() == QEvent::KeyPress && watched == table_)
        return scrollByKey(static_cast<QKeyEvent*>(event)->key());
    return QWidget::eventFilter(watched, event);
}

/// Keys that move beyond the rows of the window scroll it.
bool TensorTable::scrollByKey(int key) {
    const int row = table_->currentIndex().row();
    switch (key) {
        case Qt::Key_PageDown: bar_->triggerAction(QScrollBar::SliderPageStepAdd); return true;
        case Qt::Key_PageUp: bar_->triggerAction(QScrollBar::SliderPageStepSub); return true;
        case Qt::Key_Home: bar_->setValue(bar_->minimum()); return true;
        case Qt::Key_End: bar_->setValue(bar_->maximum()); return true;
        case Qt::Key_Down:
            if (row + 1 < model_->rowCount()) return false;
            bar_->setValue(bar_->value() + 1);
            return true;
        case Qt::Key_Up:
            if (row > 0) return false;
            bar_->setValue(bar_->value() - 1);
            return true;
        default: return false;
    }
}

}  // namespace temper::ui
