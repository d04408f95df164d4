// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QString>

namespace temper::ui {

/// The state of a project's views is in "view.json" beside the project's own file, which changes
/// only with choices. Empty if there is none or it is damaged: only comfort is lost.
/// Thread: any.
QJsonObject readView(const QString& folder);
/// Throws: Error(Io).
void writeView(const QJsonObject& view, const QString& folder);

}  // namespace temper::ui
