// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/metric_tile.h"

#include <QEvent>
#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// A role of the style sheet and its size there, the largest first.
struct FigureSize {
    const char* role;
    double points;
};
constexpr FigureSize kFigureSizes[] = {{"figure", 15}, {"smallFigure", 11}, {"tinyFigure", 9}};

}  // namespace

MetricTile::MetricTile(const QString& caption, QWidget* parent)
    : QFrame(parent),
      caption_(makeLabel(caption, "muted", this)),
      value_(makeLabel(QStringLiteral("–"), "figure", this)),
      detail_(makeLabel(QString(), "muted", this)) {
    setProperty("card", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(em(this, 0.6), em(this, 0.4), em(this, 0.6), em(this, 0.4));
    layout->setSpacing(0);
    for (QLabel* label : {caption_, value_, detail_}) {
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        layout->addWidget(label);
    }
    setCaption(caption);
}

void MetricTile::setCaption(const QString& caption) {
    captionText_ = caption;
    updateGeometry();
    setAccessibleName(caption);
    fit();
}

void MetricTile::setValue(const QString& value, const QStringList& details) {
    value_->setText(value);
    details_ = details;
    fit();
    setAccessibleDescription(value + QLatin1Char(' ') + details_.value(0));
}

/// If none of the texts fits, the last ends with an ellipsis; the tool tip has the fullest.
void MetricTile::fit() {
    const auto show = [](QLabel* label, const QStringList& texts) {
        const QFontMetrics letters = label->fontMetrics();
        const auto fits = [&](const QString& text) {
            return letters.horizontalAdvance(text) <= label->width();
        };
        const auto first = std::ranges::find_if(texts, fits);
        const QString shown = first != texts.end()
                                  ? *first
                                  : letters.elidedText(texts.value(texts.size() - 1),
                                                       Qt::ElideRight, std::max(0, label->width()));
        label->setText(shown);
        label->setToolTip(shown == texts.value(0) ? QString() : texts.value(0));
    };
    fitFigure();
    show(caption_, {captionText_});
    show(detail_, details_);
}

/// A figure that does not fit is drawn smaller: digits can't be omitted.
void MetricTile::fitFigure() {
    const double width = value_->fontMetrics().horizontalAdvance(value_->text());
    const auto fits = [&](const FigureSize& size) {
        return width * size.points / kFigureSizes[size_].points <= value_->width();
    };
    size_t size = 0;
    while (size + 1 < std::size(kFigureSizes) && !fits(kFigureSizes[size])) ++size;
    if (std::exchange(size_, size) == size) return;
    value_->setProperty("role", kFigureSizes[size].role);
    value_->style()->unpolish(value_);
    value_->style()->polish(value_);
}

void MetricTile::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    layout()->activate();
    fit();
}

void MetricTile::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    // Labels receive their font after their parent.
    if (event->type() == QEvent::FontChange)
        QMetaObject::invokeMethod(this, &MetricTile::fit, Qt::QueuedConnection);
}

QSize MetricTile::minimumSizeHint() const {
    const QMargins margins = layout()->contentsMargins();
    const int caption = caption_->fontMetrics().horizontalAdvance(captionText_) + margins.left() +
                        margins.right() + 2 * frameWidth();
    return {std::max(em(this, 5.5), caption + 2), QFrame::minimumSizeHint().height()};
}

QString MetricTile::value() const { return value_->text(); }

}  // namespace temper::ui
