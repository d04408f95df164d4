// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/net/net_canvas.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {
namespace {

// Lengths in lines of text.
constexpr double kTitle = 1.9;
constexpr double kGap = 0.35;       ///< between tiles
constexpr double kChannel = 3;      ///< between columns, at least
constexpr double kMaxSpacing = 15;  ///< between the centres of columns
constexpr double kMinEdge = 1.3;
constexpr double kMaxEdge = 4;
constexpr double kNameWidth = 7;
constexpr int kMinRows = 6;

/// More lines between two columns would be a carpet: the strongest are drawn, and all of the unit
/// under the pointer.
constexpr size_t kMaxLines = 240;
constexpr int kNamedWeights = 4;

float largestWeight(const NetLayer& layer) {
    float most = 0;
    for (const float weight : layer.weights)
        if (std::isfinite(weight)) most = std::max(most, std::abs(weight));
    return most;
}

}  // namespace

NetCanvas::NetCanvas(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void NetCanvas::setLook(std::shared_ptr<const NetLook> look) {
    look_ = std::move(look);
    setMinimumSize(sizeHint());
    layOut();
    if (pointed_ &&
        (pointed_->layer >= static_cast<int>(columns_.size()) - 1 ||
         static_cast<size_t>(pointed_->unit) >= tilesOf(static_cast<size_t>(pointed_->layer) + 1)))
        pointed_.reset();
    update();
}

size_t NetCanvas::tilesOf(size_t column) const {
    return column == 0 ? look_->inputs.size() : look_->layers[column - 1].units.size();
}

int NetCanvas::rowsThatFit(double edge) const {
    const double height = this->height() - em(this, kTitle);
    return std::max(kMinRows, static_cast<int>(height / (edge + em(this, kGap))));
}

/// Half the width of a column with tiles of this size.
double NetCanvas::reachOf(size_t column, double edge) const {
    const auto rows = static_cast<size_t>(rowsThatFit(edge));
    const auto across = static_cast<double>((tilesOf(column) + rows - 1) / rows);
    return across / 2 * (edge + em(this, kGap));
}

/// The least distance between the centres of two columns for tiles of this size.
double NetCanvas::leastSpacing(double edge) const {
    double most = 0;
    for (size_t column = 0; column < look_->layers.size(); ++column)
        most = std::max(most, reachOf(column, edge) + reachOf(column + 1, edge));
    return std::max<double>(most + em(this, kChannel), em(this, kNameWidth));
}

/// The space beside a column for these names.
double NetCanvas::widthOf(const QStringList& names) const {
    int widest = 0;
    for (const QString& name : names)
        widest = std::max(widest, fontMetrics().horizontalAdvance(name));
    return std::min(widest + em(this, 0.6), em(this, kNameWidth));
}

/// The smallest size in which everything can be read.
QSize NetCanvas::sizeHint() const {
    if (!look_) return {em(this, 20), em(this, 10)};
    const double edge = em(this, kMinEdge);
    const size_t channels = look_->layers.size();
    const double width = widthOf(look_->inputNames) + reachOf(0, edge) +
                         leastSpacing(edge) * static_cast<double>(channels) +
                         reachOf(channels, edge) + widthOf(look_->data->classes);
    return {static_cast<int>(width),
            em(this, kTitle) + static_cast<int>(kMinRows * (edge + em(this, kGap)))};
}

NetCanvas::Column NetCanvas::placeColumn(size_t count, double center, double edge) const {
    const double step = edge + em(this, kGap);
    const auto rows = static_cast<size_t>(rowsThatFit(edge));
    const size_t used = std::min(count, rows);
    const double space = height() - em(this, kTitle);
    const double top =
        em(this, kTitle) + std::max(0.0, (space - static_cast<double>(used) * step) / 2);
    const auto across = static_cast<double>((count + rows - 1) / rows);
    const double left = center - (across * step - em(this, kGap)) / 2;
    Column column;
    for (size_t at = 0; at < count; ++at) {
        column.tiles.emplace_back(left + static_cast<double>(at / rows) * step,
                                  top + static_cast<double>(at % rows) * step, edge, edge);
        column.area |= column.tiles.back();
    }
    return column;
}

/// Columns keep their places whatever the number of their units; the tiles are as large as fits.
void NetCanvas::layOut() {
    columns_.clear();
    if (look_) {
        const auto channels = static_cast<double>(look_->layers.size());
        const double left = widthOf(look_->inputNames), right = widthOf(look_->data->classes);
        const double space = width() - left - right - em(this, kMaxEdge);
        double edge = em(this, kMaxEdge);
        const double spacing =
            std::clamp(space / channels, leastSpacing(em(this, kMinEdge)),
                       std::max<double>(em(this, kMaxSpacing), leastSpacing(em(this, kMinEdge))));
        while (edge > em(this, kMinEdge) && leastSpacing(edge) > spacing) edge -= 1;
        const double middle = (left + std::max(width(), minimumWidth()) - right) / 2;
        for (size_t column = 0; column <= look_->layers.size(); ++column)
            columns_.push_back(
                placeColumn(tilesOf(column),
                            middle + (static_cast<double>(column) - channels / 2) * spacing, edge));
    }
    emit laidOut();
}

std::vector<QRect> NetCanvas::titleRects() const {
    std::vector<QRect> rects;
    for (const Column& column : columns_)
        rects.emplace_back(static_cast<int>(column.area.center().x()) - em(this, kNameWidth) / 2, 0,
                           em(this, kNameWidth), em(this, kTitle));
    return rects;
}

QRectF NetCanvas::unitRect(int layer, int unit) const {
    return columns_[static_cast<size_t>(layer) + 1].tiles[static_cast<size_t>(unit)];
}

QString NetCanvas::unitText(int layer, int unit) const {
    const NetLayer& own = look_->layers[static_cast<size_t>(layer)];
    const bool isHead = layer + 1 == static_cast<int>(look_->layers.size());
    const QStringList& classes = look_->data->classes;
    const QString name = !isHead ? tr("Unit %1 of hidden layer %2").arg(unit + 1).arg(layer + 1)
                         : unit < classes.size() ? tr("Output “%1”").arg(classes[unit])
                                                 : tr("Output %1").arg(unit + 1);
    const bool namesInputs = layer == 0 && look_->readsInputs();
    if (layer == 0 && !namesInputs) return name;
    std::vector<int> order(static_cast<size_t>(own.inputs));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return std::abs(own.weight(unit, a)) > std::abs(own.weight(unit, b));
    });
    QStringList weights;
    for (const int input : order) {
        if (weights.size() == kNamedWeights) break;
        const QString from = namesInputs ? look_->inputNames[input] : tr("unit %1").arg(input + 1);
        weights << tr("%1: %2").arg(from, decimalText(double{own.weight(unit, input)}, 'g', 3));
    }
    return tr("%1. Largest weights: %2").arg(name, weights.join(QStringLiteral(", ")));
}

std::optional<NetCanvas::Unit> NetCanvas::unitAt(const QPointF& place) const {
    for (size_t column = 1; column < columns_.size(); ++column) {
        const std::vector<QRectF>& tiles = columns_[column].tiles;
        for (size_t at = 0; at < tiles.size(); ++at)
            if (tiles[at].contains(place))
                return Unit{static_cast<int>(column) - 1, static_cast<int>(at)};
    }
    return std::nullopt;
}

/// The lines from the column before to `column`, the strongest last.
std::vector<NetCanvas::Line> NetCanvas::linesTo(size_t column) const {
    const NetLayer& layer = look_->layers[column - 1];
    const size_t inputs = columns_[column - 1].tiles.size();
    const float largest = largestWeight(layer);
    std::vector<Line> lines;
    if (inputs != static_cast<size_t>(layer.inputs) || largest <= 0) return lines;
    const int own = static_cast<int>(column) - 1;
    for (int unit = 0; unit < static_cast<int>(columns_[column].tiles.size()); ++unit) {
        for (int input = 0; input < layer.inputs; ++input) {
            const float weight = layer.weight(unit, input);
            if (!std::isfinite(weight)) continue;
            const bool isPointed =
                pointed_ && (*pointed_ == Unit{own, unit} || *pointed_ == Unit{own - 1, input});
            lines.push_back({unit, input, double{weight / largest}, isPointed});
        }
    }
    std::ranges::sort(lines, [](const Line& a, const Line& b) {
        return std::pair(a.isPointed, std::abs(a.part)) < std::pair(b.isPointed, std::abs(b.part));
    });
    const auto pointed = std::ranges::count_if(lines, &Line::isPointed);
    const auto kept = std::max<std::ptrdiff_t>(pointed, kMaxLines);
    const auto surplus = static_cast<std::ptrdiff_t>(lines.size()) - kept;
    if (surplus > 0) lines.erase(lines.begin(), lines.begin() + surplus);
    return lines;
}

void NetCanvas::paintLines(QPainter& painter, size_t column) const {
    const std::vector<QRectF>& from = columns_[column - 1].tiles;
    const std::vector<QRectF>& to = columns_[column].tiles;
    const Colors& colors = colorsOf(palette());
    for (const Line& line : linesTo(column)) {
        const double part = std::abs(line.part);
        QColor color = line.part < 0 ? colors.series[1] : colors.series[0];
        const double opacity = line.isPointed ? 0.95 : pointed_ ? 0.08 : 0.2 + 0.6 * part;
        color.setAlphaF(static_cast<float>(opacity));
        painter.setPen(QPen(color, (0.04 + 0.2 * part) * em(this)));
        const QRectF& left = from[static_cast<size_t>(line.input)];
        const QRectF& right = to[static_cast<size_t>(line.unit)];
        const QPointF begin(left.right(), left.center().y());
        const QPointF end(right.left(), right.center().y());
        const double middle = (begin.x() + end.x()) / 2;
        QPainterPath path(begin);
        path.cubicTo({middle, begin.y()}, {middle, end.y()}, end);
        painter.drawPath(path);
    }
}

void NetCanvas::paintTile(QPainter& painter, const NetTile& tile, const QRectF& rect) const {
    const Colors& colors = colorsOf(palette());
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.surface);
    painter.drawRect(rect);
    if (!tile.image.isNull()) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform,
                              look_->data->picture == ResponsePicture::Plane);
        painter.drawImage(rect, tile.image);
    }
    const double largest = tile.rows == 1 ? double{tile.largest()} : 0;
    const double middle = rect.center().y();
    const auto heightOf = [&](size_t at) {
        const double value = double{tile.values[at]};
        return std::isfinite(value) && largest > 0 ? -value / largest * rect.height() / 2 : 0.0;
    };
    const double step = tile.columns > 0 ? rect.width() / tile.columns : 0;
    if (tile.rows == 1 && look_->data->picture == ResponsePicture::Curve) {
        QPolygonF line;
        for (size_t at = 0; at < tile.values.size(); ++at)
            line << QPointF(rect.left() + (static_cast<double>(at) + 0.5) * step,
                            middle + heightOf(at));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colors.series[0], 0.1 * em(this)));
        painter.drawPolyline(line);
    } else if (tile.rows == 1) {
        for (size_t at = 0; at < tile.values.size(); ++at) {
            const QRectF bar(rect.left() + static_cast<double>(at) * step, middle,
                             std::max(1.0, step), heightOf(at));
            painter.fillRect(bar.normalized(),
                             tile.values[at] < 0 ? colors.series[1] : colors.series[0]);
        }
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colors.border, 1));
    painter.drawRect(rect);
}

/// Those of the inputs on their left, of the classes on their right.
void NetCanvas::paintNames(QPainter& painter) const {
    const Colors& colors = colorsOf(palette());
    painter.setPen(colors.text);
    const auto draw = [&](const QRectF& tile, const QStringList& names, size_t at, bool isLeft) {
        const double width = em(this, kNameWidth) - em(this, 0.6);
        const double left =
            isLeft ? tile.left() - em(this, 0.3) - width : tile.right() + em(this, 0.3);
        const QString shown =
            elidedName(painter.fontMetrics(), names, static_cast<qsizetype>(at), width);
        painter.drawText(QRectF(left, tile.top(), width, tile.height()),
                         Qt::AlignVCenter | (isLeft ? Qt::AlignRight : Qt::AlignLeft), shown);
    };
    for (size_t at = 0; at < columns_.front().tiles.size(); ++at)
        draw(columns_.front().tiles[at], look_->inputNames, at, true);
    const std::vector<QRectF>& outputs = columns_.back().tiles;
    const bool isOneColumn = outputs.size() == 1 || outputs.front().left() == outputs.back().left();
    const QStringList& classes = look_->data->classes;
    if (!isOneColumn || static_cast<size_t>(classes.size()) != outputs.size()) return;
    for (size_t at = 0; at < outputs.size(); ++at) draw(outputs[at], classes, at, false);
}

void NetCanvas::paintEvent(QPaintEvent*) {
    if (!look_ || columns_.empty()) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (size_t column = 1; column < columns_.size(); ++column) paintLines(painter, column);
    for (size_t column = 0; column < columns_.size(); ++column) {
        const std::vector<NetTile>& tiles =
            column == 0 ? look_->inputs : look_->layers[column - 1].units;
        for (size_t at = 0; at < tiles.size(); ++at)
            paintTile(painter, tiles[at], columns_[column].tiles[at]);
    }
    if (pointed_) {
        painter.setPen(QPen(colorsOf(palette()).accent, 0.15 * em(this)));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(unitRect(pointed_->layer, pointed_->unit));
    }
    paintNames(painter);
}

void NetCanvas::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layOut();
}

void NetCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange && look_) setLook(look_);
    QWidget::changeEvent(event);
}

void NetCanvas::mouseMoveEvent(QMouseEvent* event) {
    const std::optional<Unit> now = unitAt(event->position());
    if (now == pointed_) return;
    pointed_ = now;
    update();
}

void NetCanvas::leaveEvent(QEvent*) {
    pointed_.reset();
    update();
}

bool NetCanvas::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::optional<Unit> unit = unitAt(help->pos());
    unit ? QToolTip::showText(help->globalPos(), unitText(unit->layer, unit->unit), this)
         : QToolTip::hideText();
    return true;
}

}  // namespace temper::ui
