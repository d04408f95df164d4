// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QStringList>

#include "engine/ir/graph.h"

class QStringListModel;

namespace temper::ui {

/// The tensor that the loss reads: an output of the model from the list, or any other tensor, found
/// by typing its name or a part of it.
class LossInput : public QComboBox {
    Q_OBJECT
public:
    explicit LossInput(QWidget* parent = nullptr);

    /// Offers the tensors of the model.
    void setGraph(const Graph& graph);
    void clearGraph();
    /// Shows the tensor that the loss currently reads.
    void setRead(const QString& name);
    /// The tensors that can be typed, in the model's order.
    QStringList tensors() const;

signals:
    void tensorChosen(const QString& name);

protected:
    void focusOutEvent(QFocusEvent* event) override;

private:
    void choose(const QString& name);
    void takeBack();

    QStringListModel* tensors_;
    QString read_;
};

}  // namespace temper::ui
