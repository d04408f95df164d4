// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/confusion_view.h"

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <numeric>

#include "ui/messages/problem.h"
#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {
namespace {

/// Beyond this, cells are too small to distinguish.
constexpr size_t kMaxClasses = 64;

}  // namespace

ConfusionView::ConfusionView(QWidget* parent) : QWidget(parent) {
    setMinimumSize(em(this, 11), em(this, 11));
    setAccessibleName(tr("Confusion matrix"));
}

void ConfusionView::setMatrix(std::shared_ptr<const ConfusionMatrix> matrix) {
    if (matrix == matrix_) return;
    matrix_ = std::move(matrix);
    moveTo(currentRow_, currentColumn_);
}

void ConfusionView::setInteractive(bool interactive) {
    interactive_ = interactive;
    setFocusPolicy(interactive ? Qt::StrongFocus : Qt::NoFocus);
    setCursor(interactive ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ConfusionView::moveTo(int row, int column) {
    const int last = matrix_ ? static_cast<int>(matrix_->classes.size()) - 1 : 0;
    currentRow_ = std::clamp(row, 0, std::max(0, last));
    currentColumn_ = std::clamp(column, 0, std::max(0, last));
    describe();
    update();
}

void ConfusionView::describe() {
    if (!matrix_ || matrix_->classes.empty()) return setAccessibleDescription({});
    const auto row = static_cast<size_t>(currentRow_), column = static_cast<size_t>(currentColumn_);
    setAccessibleDescription(tr("%1 predicted as %2: %3")
                                 .arg(className(row), className(column))
                                 .arg(matrix_->at(row, column)));
}

void ConfusionView::mousePressEvent(QMouseEvent* event) {
    if (!interactive_ || !matrix_ || event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    for (size_t row = 0; row < matrix_->classes.size(); ++row)
        for (size_t column = 0; column < matrix_->classes.size(); ++column)
            if (cell(row, column).contains(event->position())) {
                moveTo(static_cast<int>(row), static_cast<int>(column));
                emit cellChosen(currentRow_, currentColumn_);
                return;
            }
}

void ConfusionView::keyPressEvent(QKeyEvent* event) {
    if (!interactive_ || !matrix_) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Up: return moveTo(currentRow_ - 1, currentColumn_);
        case Qt::Key_Down: return moveTo(currentRow_ + 1, currentColumn_);
        case Qt::Key_Left: return moveTo(currentRow_, currentColumn_ - 1);
        case Qt::Key_Right: return moveTo(currentRow_, currentColumn_ + 1);
        case Qt::Key_Enter:
        case Qt::Key_Return:
        case Qt::Key_Space: emit cellChosen(currentRow_, currentColumn_); return;
        default: QWidget::keyPressEvent(event);
    }
}

QString ConfusionView::className(size_t index) const {
    const std::string& name = matrix_->classes[index];
    return name.empty() ? QString::number(index) : text(name);
}

double ConfusionView::headWidth() const {
    int widest = 0;
    for (size_t i = 0; i < matrix_->classes.size(); ++i)
        widest = std::max(widest, fontMetrics().horizontalAdvance(className(i)));
    return std::min<double>(widest, width() / 3.0) + em(this, 0.5);
}

double ConfusionView::cellSize() const {
    const double space = std::min(width() - headWidth(), height() - em(this, 1.4) - 1.0);
    return std::max(2.0, space / static_cast<double>(matrix_->classes.size()));
}

QRectF ConfusionView::cell(size_t row, size_t column) const {
    const double size = cellSize();
    return {headWidth() + size * static_cast<double>(column),
            em(this, 1.4) + size * static_cast<double>(row), size, size};
}

void ConfusionView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colors& colors = colorsOf(palette());
    painter.setPen(colors.muted);
    if (!matrix_ || matrix_->classes.empty() || matrix_->classes.size() > kMaxClasses) {
        const QString reason = !matrix_
                                   ? tr("The confusion matrix appears after the first evaluation.")
                                   : tr("Too many classes to draw.");
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, reason);
        return;
    }
    paintCells(painter);
    paintHeads(painter);
    if (!interactive_ || !hasFocus()) return;
    painter.setPen(QPen(colors.accent, 2));
    painter.drawRect(cell(static_cast<size_t>(currentRow_), static_cast<size_t>(currentColumn_)));
}

void ConfusionView::paintCells(QPainter& painter) const {
    const Colors& colors = colorsOf(palette());
    const size_t classes = matrix_->classes.size();
    const bool numbers = cellSize() > em(this, 1.2);
    for (size_t row = 0; row < classes; ++row) {
        int64_t total = 0;
        for (size_t column = 0; column < classes; ++column) total += matrix_->at(row, column);
        for (size_t column = 0; column < classes; ++column) {
            const int64_t count = matrix_->at(row, column);
            const double share =
                total > 0 ? static_cast<double>(count) / static_cast<double>(total) : 0;
            const QColor ink = row == column ? colors.series[0] : colors.series[1];
            const double strength = count == 0 ? 0 : 0.12 + 0.7 * share;
            const QRectF place = cell(row, column).adjusted(1, 1, -1, -1);
            painter.fillRect(place, blend(colors.raised, ink, strength));
            if (!numbers || count == 0) continue;
            painter.setPen(share > 0.55 && !colors.isDark ? Qt::white : colors.text);
            painter.drawText(place, Qt::AlignCenter, QString::number(count));
        }
    }
}

void ConfusionView::paintHeads(QPainter& painter) const {
    painter.setPen(colorsOf(palette()).muted);
    QStringList names;
    for (size_t i = 0; i < matrix_->classes.size(); ++i) names << className(i);
    for (size_t i = 0; i < matrix_->classes.size(); ++i) {
        const QRectF row = cell(i, 0), column = cell(0, i);
        const auto place = static_cast<qsizetype>(i);
        painter.drawText(QRectF(0, row.top(), headWidth() - em(this, 0.3), row.height()),
                         Qt::AlignRight | Qt::AlignVCenter,
                         elidedName(fontMetrics(), names, place, headWidth()));
        painter.drawText(QRectF(column.left(), 0, column.width(), em(this, 1.3)), Qt::AlignCenter,
                         elidedName(fontMetrics(), names, place, column.width()));
    }
}

bool ConfusionView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !matrix_) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (size_t row = 0; row < matrix_->classes.size(); ++row)
        for (size_t column = 0; column < matrix_->classes.size(); ++column)
            if (cell(row, column).contains(help->pos()))
                QToolTip::showText(help->globalPos(),
                                   tr("%1 predicted as %2: %3")
                                       .arg(className(row), className(column))
                                       .arg(matrix_->at(row, column)),
                                   this);
    return true;
}

void ConfusionView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

}  // namespace temper::ui
