// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/activity.h"

#include "ui/commands/navigator.h"

namespace temper::ui {

Activity& Activity::of(Navigator& navigator) {
    auto* activity = navigator.findChild<Activity*>(QString(), Qt::FindDirectChildrenOnly);
    return activity != nullptr ? *activity : *new Activity(&navigator);
}

}  // namespace temper::ui
