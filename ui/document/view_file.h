// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QString>

namespace temper::ui {

/// How a project was looked at lies in "view.json" beside the project's own file: that one changes
/// with choices only. Empty where there is none, or a damaged one: nothing but comfort is lost.
/// Thread: any.
QJsonObject readView(const QString& folder);
/// Throws: Error(Io).
void writeView(const QJsonObject& view, const QString& folder);

}  // namespace temper::ui
