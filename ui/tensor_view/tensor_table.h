// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>
#include <QWidget>

#include "ui/tensor_view/tensor_value_model.h"

class QScrollBar;

namespace temper::ui {

/// The values of a tensor, in any number, as a table sorted by its header: the table holds only the
/// visible rows, a scroll bar beside it moves over all rows.
class TensorTable : public QWidget {
    Q_OBJECT
public:
    TensorTable(TaskRunner& tasks, QWidget* parent = nullptr);

    void setTensor(const Tensor& tensor);
    TensorValueModel& model() { return *model_; }
    QTableView* table() const { return table_; }
    void scrollTo(int64_t first);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    int visibleRows() const;
    void fitWindow();
    bool scrollByKey(int key);

    TensorValueModel* model_;
    QTableView* table_;
    QScrollBar* bar_;
    int64_t unit_ = 1;  ///< elements per step of the scroll bar, whose range ends at 2^31
};

}  // namespace temper::ui
