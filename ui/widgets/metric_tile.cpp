// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/metric_tile.h"

#include <QLabel>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {

MetricTile::MetricTile(const QString& caption, QWidget* parent)
    : QFrame(parent),
      caption_(makeLabel(caption, "muted", this)),
      value_(makeLabel(QStringLiteral("–"), "figure", this)),
      detail_(makeLabel(QString(), "muted", this)) {
    setProperty("card", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(em(this, 0.7), em(this, 0.4), em(this, 0.7), em(this, 0.4));
    layout->setSpacing(0);
    for (QLabel* label : {caption_, value_, detail_}) layout->addWidget(label);
    setMinimumWidth(em(this, 7));
    setAccessibleName(caption);
}

void MetricTile::setCaption(const QString& caption) {
    caption_->setText(caption);
    setAccessibleName(caption);
}

void MetricTile::setValue(const QString& value, const QString& detail) {
    value_->setText(value);
    detail_->setText(detail);
    setAccessibleDescription(value + QLatin1Char(' ') + detail);
}

QString MetricTile::value() const { return value_->text(); }

}  // namespace temper::ui
