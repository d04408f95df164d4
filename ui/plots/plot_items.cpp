// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_items.h"

#include <QFontMetricsF>
#include <cmath>

#include "ui/translation/number_text.h"

namespace temper::ui {

// ---- marks -------------------------------------------------------------------------------------

/// Starts with the latest marks: they get the room for their text, above the curves.
void MarkItem::draw(QCPPainter* painter) {
    const QCPAxisRect& rect = *parentPlot()->axisRect();
    const QFontMetricsF metrics(painter->font());
    const double size = metrics.height() * 0.35;
    const double baseline = rect.top() - metrics.descent() - 1;
    double freeUpTo = rect.right();
    for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark) {
        const double x = parentPlot()->xAxis->coordToPixel(mark->x);
        if (x < rect.left() || x > rect.right()) continue;
        painter->setPen(QPen(blend(colors_.surface, colors_.muted, 0.5), 0, Qt::DotLine));
        painter->drawLine(QLineF(x, rect.top(), x, rect.bottom()));
        drawSymbol(painter, mark->symbol, {x, baseline - size}, size);
        const double width = metrics.horizontalAdvance(mark->text) + 2 * size;
        if (x + width > freeUpTo) continue;
        freeUpTo = x - 2 * size;
        painter->setPen(colors_.muted);
        painter->drawText(QPointF(x + 1.6 * size, baseline), mark->text);
    }
}

void MarkItem::drawSymbol(QCPPainter* painter, MarkSymbol symbol, QPointF at, double size) const {
    painter->setPen(Qt::NoPen);
    painter->setBrush(colors_.muted);
    const double x = at.x(), y = at.y();
    const auto polygon = [&](std::initializer_list<QPointF> points) {
        painter->drawPolygon(QPolygonF(points));
    };
    switch (symbol) {
        case MarkSymbol::Triangle:
            polygon({{x - size, y + size}, {x + size, y + size}, {x, y - size}});
            break;
        case MarkSymbol::Square:
            painter->drawRect(QRectF(x - 0.8 * size, y - 0.6 * size, 1.6 * size, 1.6 * size));
            break;
        case MarkSymbol::Diamond:
            polygon({{x - size, y}, {x, y - size}, {x + size, y}, {x, y + size}});
            break;
        case MarkSymbol::Bars:
            painter->drawRect(QRectF(x - 0.8 * size, y - size, 0.5 * size, 2 * size));
            painter->drawRect(QRectF(x + 0.3 * size, y - size, 0.5 * size, 2 * size));
            break;
        case MarkSymbol::Star: {
            QPolygonF star;
            for (int i = 0; i < 10; ++i) {
                const double radius = (i % 2 == 0 ? 1.2 : 0.5) * size;
                const double angle = M_PI * (i / 5.0 - 0.5);
                star << QPointF(x + radius * std::cos(angle), y + radius * std::sin(angle));
            }
            painter->drawPolygon(star);
            break;
        }
    }
}

// ---- cross-hair --------------------------------------------------------------------------------

void CursorItem::draw(QCPPainter* painter) {
    if (values_.empty()) return;
    const QCPAxisRect& rect = *parentPlot()->axisRect();
    const double x = parentPlot()->xAxis->coordToPixel(values_.front().x);
    if (x < rect.left() || x > rect.right()) return;
    painter->setPen(QPen(colors_.muted, 0));
    painter->drawLine(QLineF(x, rect.top(), x, rect.bottom()));
    const double radius = QFontMetricsF(painter->font()).height() * 0.2;
    for (const CursorValue& value : values_) {
        if (!std::isfinite(value.y)) continue;
        painter->setPen(QPen(colors_.surface, 1));
        painter->setBrush(seriesColor(colors_, value.color));
        const QPointF at(parentPlot()->xAxis->coordToPixel(value.x),
                         parentPlot()->yAxis->coordToPixel(value.y));
        painter->drawEllipse(at, radius, radius);
    }
    if (isBoxed_) drawBox(painter, x);
}

void CursorItem::drawBox(QCPPainter* painter, double x) const {
    const QCPAxisRect& rect = *parentPlot()->axisRect();
    const QFontMetricsF metrics(painter->font());
    const double pad = metrics.height() * 0.35;
    double names = 0, numbers = 0;
    for (const CursorValue& value : values_) {
        names = std::max(names, metrics.horizontalAdvance(value.name));
        numbers = std::max(numbers, metrics.horizontalAdvance(decimalText(value.y, 'g', 5)));
    }
    const double width =
        std::max(metrics.horizontalAdvance(title_), names + 2 * pad + numbers) + 2 * pad;
    const double height = metrics.height() * static_cast<double>(values_.size() + 1) + 2 * pad;
    const double left = x + pad + width < rect.right() ? x + pad : x - pad - width;
    QRectF box(left, rect.top() + pad, width, height);
    painter->setPen(QPen(colors_.border, 1));
    painter->setBrush(colors_.surface);
    painter->drawRoundedRect(box, pad, pad);
    box.adjust(pad, pad, -pad, -pad);
    double y = box.top() + metrics.ascent();
    painter->setPen(colors_.muted);
    painter->drawText(QPointF(box.left(), y), title_);
    for (const CursorValue& value : values_) {
        y += metrics.height();
        const QString number = decimalText(value.y, 'g', 5);
        painter->setPen(seriesColor(colors_, value.color));
        painter->drawText(QPointF(box.left(), y), value.name);
        painter->setPen(colors_.text);
        painter->drawText(QPointF(box.right() - metrics.horizontalAdvance(number), y), number);
    }
}

}  // namespace temper::ui
