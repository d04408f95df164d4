// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace temper::ui {

class GraphView;

/// Exposes the boxes of a GraphView to screen readers as its children.
void installGraphAccessibility();

/// Announces a selected box to screen readers.
void announceSelection(GraphView& view, int box);

}  // namespace temper::ui
