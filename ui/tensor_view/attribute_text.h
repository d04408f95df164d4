// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "engine/ir/attribute.h"

namespace temper::ui {

/// An attribute's value on one line.
QString attributeText(const Attribute& attribute);

}  // namespace temper::ui
