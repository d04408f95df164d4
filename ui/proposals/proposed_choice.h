// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace temper::ui {

/// A choice that is proposed for training, and why.
struct ProposedChoice {
    QString id;     ///< "loss"
    QString title;  ///< "Loss"
    QString value;  ///< "Cross-entropy"
    QString why;    ///< a sentence or two
    QString page;   ///< id of the page on which it can be changed
};

}  // namespace temper::ui
