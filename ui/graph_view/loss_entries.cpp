// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/loss_entries.h"

#include <QMenu>
#include <algorithm>

#include "ui/graph_view/graph_drawing.h"
#include "ui/messages/problem.h"

namespace temper::ui {
namespace {

constexpr size_t kMaxEntries = 8;

/// Tensors of the box, or computed by it, that are or may be floating-point.
std::vector<const Value*> readableOf(const GraphBox& box, const GraphDrawing& drawing) {
    std::vector<const Value*> values;
    const auto add = [&values](const Value* value) {
        if (value == nullptr || value->producer() == nullptr || !value->type().isTensor()) return;
        if (!value->type().isKnown() || isFloating(value->type().dtype)) values.push_back(value);
    };
    if (box.value != nullptr) add(box.value);
    if (box.node >= 0) std::ranges::for_each(drawing.document->node(box.node).outputs(), add);
    if (values.size() > kMaxEntries) values.resize(kMaxEntries);
    return values;
}

}  // namespace

void LossEntries::addEntries(QMenu& menu, const GraphBox& box, const GraphDrawing& drawing) {
    if (!isOn_) return;
    for (const Value* value : readableOf(box, drawing))
        menu.addAction(tr("Let the loss read %1").arg(text(value->name())),
                       [this, value] { emit lossInputRequested(value); });
}

}  // namespace temper::ui
