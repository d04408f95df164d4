// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace temper::ui {

/// A box for a row with little room: where its text is too long it ends with "…", and its list
/// shows it whole. Give it a stretch in its row.
class NarrowCombo : public QComboBox {
    Q_OBJECT
public:
    using QComboBox::QComboBox;

    /// Where there is room, as wide as the longest entry that it has now.
    void limitWidth();

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace temper::ui
