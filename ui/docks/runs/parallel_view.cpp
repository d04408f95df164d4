// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/parallel_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/docks/runs/run_table_model.h"
#include "ui/messages/problem.h"
#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {
namespace {

constexpr double kNear = 6;         // points from a line to the mouse
constexpr double kMinRange = 0.02;  // a shorter drag is a click
constexpr double kKeyStep = 0.05;
constexpr double kRounding = 1e-9;
constexpr size_t kSmoothLines = 1500;  // more lines are drawn without antialiasing
constexpr int kShades = 32;            // for many lines, drawn one shade at a time
constexpr size_t kThickLines = 12;
constexpr int kTicks = 5;

/// Draws a line that runs to the right, without antialiasing: thousands of them are drawn at once
/// while the window waits, and QPainter takes ten times as long.
void drawPixels(QImage& image, const QLineF& line, QRgb color) {
    const double scale = image.devicePixelRatio();
    const int first = std::max(0, static_cast<int>(line.x1() * scale));
    const int last = std::min(image.width() - 1, static_cast<int>(line.x2() * scale));
    const double slope = line.dy() / std::max(line.dx(), 1e-9);
    const auto rowAt = [&](int x) {
        const double y = line.y1() * scale + slope * (x - line.x1() * scale);
        return std::clamp(static_cast<int>(y), 0, image.height() - 1);
    };
    auto* pixels = reinterpret_cast<QRgb*>(image.bits());
    const auto stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    int before = rowAt(first);
    for (int x = first; x <= last; ++x) {
        const int row = rowAt(x);
        // Steep lines have no gaps.
        for (int y = std::min(row, before); y <= std::max(row, before); ++y)
            pixels[y * stride + x] = color;
        before = row;
    }
}

/// To be shortened beside each other.
template <typename T>
QStringList textsOf(const std::vector<T>& values, QString T::*member) {
    QStringList texts;
    for (const T& value : values) texts << value.*member;
    return texts;
}

}  // namespace

ParallelView::ParallelView(const RunTableModel& runs, QWidget* parent)
    : QWidget(parent), runs_(runs) {
    setObjectName(QStringLiteral("parallelAxes"));
    setAccessibleName(tr("Parallel axes"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(em(this, 16), em(this, 8));
}

QSize ParallelView::sizeHint() const { return {em(this, 40), em(this, 16)}; }

// ---- what is shown ---------------------------------------------------------------------------

void ParallelView::refresh() {
    axes_ = parallelAxes(runs_);
    // Axes moved by the user come first, in that order.
    const auto rank = [this](const ParallelAxis& axis) {
        return std::ranges::find(order_, axis.key) - order_.begin();
    };
    std::ranges::stable_sort(axes_, {}, rank);
    std::erase_if(ranges_, [this](const auto& range) {
        return std::ranges::none_of(
            axes_, [&](const ParallelAxis& axis) { return axis.key == range.first; });
    });
    if (std::ranges::find(axes_, colorKey_, &ParallelAxis::key) == axes_.end())
        colorKey_ = axes_.empty() ? QString() : axes_.back().key;
    current_ = std::clamp(current_, 0, std::max(0, static_cast<int>(axes_.size()) - 1));
    selected_.clear();
    forgetPicture();
}

void ParallelView::setSelected(std::vector<int> rows) {
    if (rows == selected_) return;
    selected_ = std::move(rows);
    update();
}

void ParallelView::setRange(const QString& key, std::optional<Range> range) {
    if (range) {
        ranges_[key] = {std::clamp(std::min(range->first, range->second), 0.0, 1.0),
                        std::clamp(std::max(range->first, range->second), 0.0, 1.0)};
    } else {
        ranges_.erase(key);
    }
    forgetPicture();
}

void ParallelView::clearRanges() {
    ranges_.clear();
    forgetPicture();
}

std::vector<int> ParallelView::within() const {
    std::vector<int> rows;
    for (int row = 0; row < runs_.rowCount(); ++row)
        if (isWithin(static_cast<size_t>(row))) rows.push_back(row);
    return rows;
}

bool ParallelView::isWithin(size_t row) const {
    return std::ranges::all_of(axes_, [&](const ParallelAxis& axis) {
        const auto range = ranges_.find(axis.key);
        if (range == ranges_.end()) return true;
        const double place = axis.places[row];
        return place >= range->second.first - kRounding &&  // not for NaN
               place <= range->second.second + kRounding;
    });
}

void ParallelView::moveAxis(int from, int to) {
    const int last = static_cast<int>(axes_.size()) - 1;
    if (from < 0 || from > last || to < 0 || to > last || from == to) return;
    const auto begin = axes_.begin();
    from < to ? std::rotate(begin + from, begin + from + 1, begin + to + 1)
              : std::rotate(begin + to, begin + from, begin + from + 1);
    order_.clear();
    for (const ParallelAxis& axis : axes_) order_.push_back(axis.key);
    forgetPicture();
}

void ParallelView::setColorKey(const QString& key) {
    colorKey_ = key;
    forgetPicture();
}

void ParallelView::forgetPicture() {
    picture_ = QImage();
    describe();
    update();
}

/// For screen readers.
void ParallelView::describe() {
    QStringList parts;
    for (const ParallelAxis& axis : axes_) {
        const auto range = ranges_.find(axis.key);
        parts << (range == ranges_.end() ? axis.title
                                         : tr("%1 (a range is marked)").arg(axis.title));
    }
    setAccessibleDescription(axes_.empty()
                                 ? tr("The runs don't differ in anything that can be an axis.")
                                 : tr("%1 of %2 runs within the marked ranges; axes: %3")
                                       .arg(within().size())
                                       .arg(runs_.rowCount())
                                       .arg(parts.join(QStringLiteral(", "))));
}

// ---- places ----------------------------------------------------------------------------------

QRectF ParallelView::plotArea() const {
    const double side = em(this, 4.5);
    return QRectF(rect()).adjusted(side, em(this, 2.2), -side, -em(this, 0.8));
}

QPointF ParallelView::pointOf(int axis, double place) const {
    const QRectF area = plotArea();
    const int gaps = std::max(1, static_cast<int>(axes_.size()) - 1);
    return {area.left() + area.width() * axis / gaps, area.bottom() - area.height() * place};
}

double ParallelView::placeAt(double y) const {
    const QRectF area = plotArea();
    return std::clamp((area.bottom() - y) / area.height(), 0.0, 1.0);
}

std::optional<int> ParallelView::axisAt(double x) const {
    for (int i = 0; i < static_cast<int>(axes_.size()); ++i)
        if (std::abs(pointOf(i, 0).x() - x) < em(this, 0.9)) return i;
    return std::nullopt;
}

std::optional<int> ParallelView::rowAt(QPointF place) const {
    std::optional<int> nearest;
    double least = kNear;
    for (int i = 0; i + 1 < static_cast<int>(axes_.size()); ++i) {
        const double left = pointOf(i, 0).x(), right = pointOf(i + 1, 0).x();
        if (place.x() < left || place.x() > right) continue;
        const double share = (place.x() - left) / (right - left);
        const auto at = static_cast<size_t>(i);
        for (int row = 0; row < runs_.rowCount(); ++row) {
            const auto index = static_cast<size_t>(row);
            if (!isWithin(index)) continue;
            const double between =
                axes_[at].places[index] * (1 - share) + axes_[at + 1].places[index] * share;
            const double distance = std::abs(pointOf(i, between).y() - place.y());
            if (!(distance < least)) continue;
            least = distance;
            nearest = row;
        }
    }
    return nearest;
}

// ---- painting --------------------------------------------------------------------------------

/// Adds the lines of a run; a run without a value on an axis has a gap there.
void ParallelView::addLine(QList<QLineF>& lines, size_t row) const {
    for (int i = 0; i + 1 < static_cast<int>(axes_.size()); ++i) {
        const double left = axes_[static_cast<size_t>(i)].places[row];
        const double right = axes_[static_cast<size_t>(i) + 1].places[row];
        if (std::isfinite(left) && std::isfinite(right))
            lines << QLineF(pointOf(i, left), pointOf(i + 1, right));
    }
}

QColor ParallelView::shadeAt(double place) const {
    const Colors& colors = colorsOf(palette());
    return std::isfinite(place) ? blend(colors.series[0], colors.series[1], place) : colors.muted;
}

/// Draws thick lines, with the names beside the last axis if there is room.
void ParallelView::drawSelected(QPainter& painter) const {
    const auto axis = std::ranges::find(axes_, colorKey_, &ParallelAxis::key);
    const double height = QFontMetricsF(font()).height();
    QStringList names;
    for (const int row : selected_) names << text(runs_.run(row).name);
    std::vector<double> written;
    for (qsizetype i = 0; i < names.size(); ++i) {
        const auto index = static_cast<size_t>(selected_[static_cast<size_t>(i)]);
        QList<QLineF> lines;
        addLine(lines, index);
        painter.setPen(QPen(shadeAt(axis == axes_.end() ? 0 : axis->places[index]), 3));
        painter.drawLines(lines);
        const QPointF end = pointOf(static_cast<int>(axes_.size()) - 1, axes_.back().places[index]);
        const auto isNear = [&](double y) { return std::abs(y - end.y()) < height; };
        if (!std::isfinite(end.y()) || std::ranges::any_of(written, isNear)) continue;
        written.push_back(end.y());
        const double room = width() - end.x() - em(this, 0.6);
        painter.setPen(colorsOf(palette()).text);
        painter.drawText(QRectF(end.x() + em(this, 0.4), end.y() - height / 2, room, height),
                         Qt::AlignVCenter, elidedName(QFontMetricsF(font()), names, i, room));
    }
}

/// Draws the lines outside the ranges first, then one shade after another.
QImage ParallelView::drawnLines() const {
    QImage image(size() * devicePixelRatioF(), QImage::Format_RGB32);
    image.setDevicePixelRatio(devicePixelRatioF());
    const auto count = static_cast<size_t>(runs_.rowCount());
    const Colors& colors = colorsOf(palette());
    image.fill(colors.surface);
    const auto axis = std::ranges::find(axes_, colorKey_, &ParallelAxis::key);
    // Index 0: outside the ranges; after the shades: without a value on the colour axis.
    std::vector<QList<QLineF>> lines(kShades + 2);
    for (size_t row = 0; row < count; ++row) {
        const double place = axis == axes_.end() ? 0 : axis->places[row];
        const int shade = !isWithin(row)         ? 0
                          : std::isfinite(place) ? 1 + static_cast<int>(place * (kShades - 1))
                                                 : kShades + 1;
        addLine(lines[static_cast<size_t>(shade)], row);
    }
    for (int shade = 0; shade < static_cast<int>(lines.size()); ++shade) {
        const double share = static_cast<double>(shade - 1) / (kShades - 1);
        const QColor color = shade == 0             ? colors.border
                             : shade == kShades + 1 ? colors.muted
                                                    : shadeAt(share);
        const QList<QLineF>& drawn = lines[static_cast<size_t>(shade)];
        if (count > kSmoothLines) {
            for (const QLineF& line : drawn) drawPixels(image, line, color.rgb());
            continue;
        }
        QPainter painter(&image);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(color, 1.2));
        painter.drawLines(drawn);
    }
    return image;
}

void ParallelView::drawAxis(QPainter& painter, int index) const {
    const Colors& colors = colorsOf(palette());
    const ParallelAxis& axis = axes_[static_cast<size_t>(index)];
    const QPointF bottom = pointOf(index, 0), top = pointOf(index, 1);
    const bool isCurrent = hasFocus() && index == current_;
    painter.setPen(QPen(isCurrent ? colors.accent : colors.muted, isCurrent ? 2 : 1));
    painter.drawLine(bottom, top);
    const QFontMetricsF metrics(font());
    const double height = metrics.height();
    const std::vector<AxisTick> ticks = axis.ticks(kTicks);
    const QStringList labels = textsOf(ticks, &AxisTick::text);
    for (size_t i = 0; i < ticks.size(); ++i) {
        const QPointF at = pointOf(index, ticks[i].place);
        const double width = em(this, 4);
        const QRectF label(at.x() - width - em(this, 0.3), at.y() - height / 2, width, height);
        const QString text = elidedName(metrics, labels, static_cast<qsizetype>(i), width);
        QColor ground = colors.surface;  // drawn over lines
        ground.setAlphaF(0.8F);
        const double written = metrics.horizontalAdvance(text);
        painter.fillRect(QRectF(label.right() - written, label.top(), written, height), ground);
        painter.setPen(colors.muted);
        painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, text);
        painter.drawLine(at - QPointF(em(this, 0.2), 0), at);
    }
    if (const auto range = ranges_.find(axis.key); range != ranges_.end()) {
        const double half = em(this, 0.35);
        const QPointF upper = pointOf(index, range->second.second);
        QColor fill = colors.accent;
        fill.setAlphaF(0.3F);
        painter.setPen(QPen(colors.accent, 1.5));
        painter.setBrush(fill);
        painter.drawRect(QRectF(upper - QPointF(half, 0),
                                pointOf(index, range->second.first) + QPointF(half, 0)));
        painter.setBrush(Qt::NoBrush);
    }
    QFont titleFont = font();
    titleFont.setBold(axis.key == colorKey_);
    painter.setFont(titleFont);
    painter.setPen(isCurrent ? colors.accent : colors.text);
    const double gap = axes_.size() < 2 ? width() : pointOf(1, 0).x() - pointOf(0, 0).x();
    const double room = std::min(gap, 2.0 * em(this, 4.5)) - em(this, 0.4);
    const QRectF title(top.x() - room / 2, em(this, 0.2), room, height * 1.2);
    const QStringList titles = textsOf(axes_, &ParallelAxis::title);
    painter.drawText(title, Qt::AlignCenter,
                     elidedName(QFontMetricsF(titleFont), titles, index, room));
    painter.setFont(font());
}

void ParallelView::paintEvent(QPaintEvent*) {
    const Colors& colors = colorsOf(palette());
    QPainter painter(this);
    if (axes_.empty()) {
        painter.fillRect(rect(), colors.surface);
        painter.setPen(colors.muted);
        return painter.drawText(rect().adjusted(em(this, 1), 0, -em(this, 1), 0),
                                Qt::AlignCenter | Qt::TextWordWrap, accessibleDescription());
    }
    if (picture_.isNull()) {
        picture_ = drawnLines();
    }
    painter.drawImage(0, 0, picture_);
    painter.setRenderHint(QPainter::Antialiasing);
    if (selected_.size() <= kThickLines) drawSelected(painter);
    for (int i = 0; i < static_cast<int>(axes_.size()); ++i) drawAxis(painter, i);
}

void ParallelView::resizeEvent(QResizeEvent*) { picture_ = QImage(); }

void ParallelView::changeEvent(QEvent* event) {
    picture_ = QImage();
    QWidget::changeEvent(event);
}

// ---- mouse and keys --------------------------------------------------------------------------

bool ParallelView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto row = rowAt(help->pos());
    QToolTip::showText(help->globalPos(), row ? text(runs_.run(*row).name) : QString(), this);
    return true;
}

void ParallelView::mousePressEvent(QMouseEvent* event) {
    const auto axis = axisAt(event->position().x());
    if (event->button() != Qt::LeftButton || !axis) return;
    current_ = *axis;
    pressedX_ = event->position().x();
    if (event->position().y() < plotArea().top() - em(this, 0.3))
        dragged_ = axis;
    else
        brush_ = placeAt(event->position().y());
    update();
}

void ParallelView::mouseMoveEvent(QMouseEvent* event) {
    if (brush_) {
        setRange(axes_[static_cast<size_t>(current_)].key,
                 Range{*brush_, placeAt(event->position().y())});
    } else if (dragged_) {
        const double step = axes_.size() < 2 ? 1 : pointOf(1, 0).x() - pointOf(0, 0).x();
        const int to = std::clamp(
            static_cast<int>(std::lround((event->position().x() - plotArea().left()) / step)), 0,
            static_cast<int>(axes_.size()) - 1);
        if (to == *dragged_) return;
        moveAxis(*dragged_, to);
        dragged_ = current_ = to;
        pressedX_ = -1;  // no longer a click
    } else {
        setCursor(axisAt(event->position().x()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    }
}

void ParallelView::mouseReleaseEvent(QMouseEvent* event) {
    if (brush_) {
        const double end = placeAt(event->position().y());
        if (std::abs(end - *brush_) < kMinRange)
            setRange(axes_[static_cast<size_t>(current_)].key, std::nullopt);
        emit rangesChanged();
    } else if (dragged_ && pressedX_ >= 0) {
        setColorKey(axes_[static_cast<size_t>(*dragged_)].key);
    }
    brush_.reset();
    dragged_.reset();
}

void ParallelView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto row = rowAt(event->position())) emit activated(*row);
}

/// Moves the ends of the range of the current axis; without one, starts with half of the axis.
void ParallelView::moveRange(double lower, double upper) {
    const QString key = axes_[static_cast<size_t>(current_)].key;
    const auto found = ranges_.find(key);
    if (found == ranges_.end()) {
        setRange(key, lower >= 0 ? Range{0.5, 1.0} : Range{0.0, 0.5});
    } else {
        const auto [low, high] = found->second;
        const double from = std::clamp(low + lower, 0.0, 1.0),
                     to = std::clamp(high + upper, 0.0, 1.0);
        if (to - from >= kMinRange) setRange(key, Range{from, to});
    }
    emit rangesChanged();
}

void ParallelView::keyPressEvent(QKeyEvent* event) {
    if (axes_.empty()) return QWidget::keyPressEvent(event);
    const bool isShift = event->modifiers().testFlag(Qt::ShiftModifier);
    const int last = static_cast<int>(axes_.size()) - 1;
    const auto step = [&](int by) {
        const int to = std::clamp(current_ + by, 0, last);
        if (event->modifiers().testFlag(Qt::ControlModifier)) moveAxis(current_, to);
        current_ = to;
        update();
    };
    switch (event->key()) {
        case Qt::Key_Left: return step(-1);
        case Qt::Key_Right: return step(1);
        case Qt::Key_Up: return moveRange(isShift ? -kKeyStep : kKeyStep, kKeyStep);
        case Qt::Key_Down: return moveRange(isShift ? kKeyStep : -kKeyStep, -kKeyStep);
        case Qt::Key_Space: return setColorKey(axes_[static_cast<size_t>(current_)].key);
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            setRange(axes_[static_cast<size_t>(current_)].key, std::nullopt);
            emit rangesChanged();
            return;
        case Qt::Key_Escape:
            if (!hasRanges()) break;
            clearRanges();
            emit rangesChanged();
            return;
        default: break;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace temper::ui
