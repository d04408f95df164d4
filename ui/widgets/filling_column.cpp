// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/filling_column.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableView>
#include <algorithm>

#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

constexpr double kMaxNeeded = 14;

/// Lives with its table.
class ColumnFiller : public QObject {
public:
    ColumnFiller(QTableView* table, int column, OtherColumns others)
        : QObject(table), table_(table), column_(column) {
        QHeaderView* header = table->horizontalHeader();
        if (others == OtherColumns::FitContents)
            header->setSectionResizeMode(QHeaderView::ResizeToContents);
        table->viewport()->installEventFilter(this);
        connect(header, &QHeaderView::sectionResized, this, [this](int section) {
            if (section != column_) fill();
        });
        connect(table->model(), &QAbstractItemModel::modelReset, this, &ColumnFiller::fill);
        connect(table->model(), &QAbstractItemModel::dataChanged, this, &ColumnFiller::fill);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) fill();
        return QObject::eventFilter(watched, event);
    }

private:
    void fill() {
        QHeaderView& header = *table_->horizontalHeader();
        if (header.count() <= column_) return;
        header.setSectionResizeMode(column_, QHeaderView::Fixed);  // lost in a reset
        const int others = header.length() - header.sectionSize(column_);
        const QAbstractItemView& view = *table_;
        const int wanted =
            std::max(view.sizeHintForColumn(column_), header.sectionSizeHint(column_));
        const int needed = std::min(wanted, em(table_, kMaxNeeded));
        const int width = std::max(needed, table_->viewport()->width() - others);
        if (width != header.sectionSize(column_)) table_->setColumnWidth(column_, width);
    }

    QTableView* table_;
    int column_;
};

}  // namespace

void fillWithColumn(QTableView* table, int column, OtherColumns others) {
    new ColumnFiller(table, column, others);
}

}  // namespace temper::ui
