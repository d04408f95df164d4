// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/stage.h"

#include "ui/translation/tr.h"

namespace temper::ui {

StageStatus openModelFirst() { return {StageState::Locked, tr("Open a model first")}; }

StageStatus problemsFound(int64_t count) {
    return {StageState::Attention, tr("%n problems found", nullptr, static_cast<int>(count))};
}

}  // namespace temper::ui
