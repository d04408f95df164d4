// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QGridLayout;

namespace temper::ui {

/// Cards of equal width in rows of about the same length, as few rows as fit.
class CardGrid : public QWidget {
    Q_OBJECT
public:
    /// `cardWidth`: the minimum width of a card if more than `fewest` columns are shown.
    CardGrid(int cardWidth, int fewest, int most, QWidget* parent = nullptr);

    /// The grid owns the card; Tab visits the cards in this order.
    void add(QWidget* card);
    int columns() const { return columns_; }
    /// The size with the fewest columns: a scroll area lets the grid shrink to it.
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    int leastCardWidth() const;
    int columnsFor(int width) const;
    void arrange(int columns);

    int cardWidth_;
    int fewest_;
    int most_;
    int columns_ = 0;
    QGridLayout* layout_;
    std::vector<QWidget*> cards_;
};

}  // namespace temper::ui
