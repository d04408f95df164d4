// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "engine/ir/graph.h"

class QMenu;

namespace temper::ui {

struct GraphBox;
struct GraphDrawing;

/// Entries for the menu of a box that make the loss read the box's outputs.
class LossEntries : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Whether a loss reads a tensor of this graph.
    void setOn(bool on) { isOn_ = on; }
    void addEntries(QMenu& menu, const GraphBox& box, const GraphDrawing& drawing);

signals:
    void lossInputRequested(const temper::Value* value);

private:
    bool isOn_ = false;
};

}  // namespace temper::ui
