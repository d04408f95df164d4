// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/banner.h"

namespace temper::ui {

class Autosave;

/// Offers choices that were saved nowhere: back with one click, or away with them.
class DraftBanner : public Banner {
    Q_OBJECT
public:
    DraftBanner(Autosave& autosave, QWidget* parent = nullptr);

private:
    void refresh();

    Autosave& autosave_;
};

}  // namespace temper::ui
