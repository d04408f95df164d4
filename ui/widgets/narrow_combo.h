// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace temper::ui {

/// A box for a row with little room: a text that is too long has "…" in it, and the list shows it
/// in full. Give it a stretch in its row.
class NarrowCombo : public QComboBox {
    Q_OBJECT
public:
    using QComboBox::QComboBox;

    /// If there is room, makes it as wide as its longest current entry.
    void limitWidth();

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace temper::ui
