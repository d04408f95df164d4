// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/navigator.h"

namespace temper::ui {

Navigator::Navigator(QObject* parent) : QObject(parent) {}

}  // namespace temper::ui
