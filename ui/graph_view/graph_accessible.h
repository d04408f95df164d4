// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace temper::ui {

class GraphView;

/// Lets screen readers see the boxes of a GraphView as its children.
void installGraphAccessibility();

/// Tells them that a box was selected.
void announceSelection(GraphView& view, int box);

}  // namespace temper::ui
