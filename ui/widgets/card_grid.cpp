// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/card_grid.h"

#include <QGridLayout>
#include <QResizeEvent>
#include <algorithm>

#include "ui/theme/theme.h"

namespace temper::ui {

CardGrid::CardGrid(int cardWidth, int fewest, int most, QWidget* parent)
    : QWidget(parent),
      cardWidth_(cardWidth),
      fewest_(fewest),
      most_(most),
      columns_(fewest),
      layout_(new QGridLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(em(this, 0.7));
}

void CardGrid::add(QWidget* card) {
    cards_.push_back(card);
    arrange(columns_);
}

int CardGrid::leastCardWidth() const {
    int width = 0;
    for (const QWidget* card : cards_) width = std::max(width, card->minimumSizeHint().width());
    return width;
}

QSize CardGrid::minimumSizeHint() const {
    const int width = fewest_ * leastCardWidth() + (fewest_ - 1) * layout_->horizontalSpacing();
    return {width, QWidget::minimumSizeHint().height()};
}

int CardGrid::columnsFor(int width) const {
    const int spacing = layout_->horizontalSpacing();
    const int card = std::max(cardWidth_, leastCardWidth());
    const int room = std::clamp((width + spacing) / (card + spacing), fewest_, most_);
    // Rows of about the same length, rather than a last card alone.
    const auto count = std::max(1, static_cast<int>(cards_.size()));
    const int rows = (count + room - 1) / room;
    return std::clamp((count + rows - 1) / rows, fewest_, most_);
}

void CardGrid::arrange(int columns) {
    for (int column = 0; column < most_; ++column)
        layout_->setColumnStretch(column, column < columns ? 1 : 0);
    int index = 0;
    for (QWidget* card : cards_) {
        layout_->addWidget(card, index / columns, index % columns);  // moves existing cards
        ++index;
    }
    columns_ = columns;
}

void CardGrid::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const int columns = columnsFor(event->size().width());
    if (columns != columns_) arrange(columns);
}

}  // namespace temper::ui
