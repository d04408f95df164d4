// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusConnection>
#include <QObject>

#include "ui/theme/theme.h"

class QDBusVariant;

namespace temper::ui {

/// Whether the desktop prefers dark or light windows: color-scheme of org.freedesktop.appearance,
/// which the desktop portal (org.freedesktop.portal.Settings) reports at the start and at each
/// change. Without a bus or a portal, no signal is emitted.
class ColorScheme : public QObject {
    Q_OBJECT
public:
    explicit ColorScheme(const QDBusConnection& bus, QObject* parent = nullptr);

signals:
    /// ThemeMode::System: the desktop has no preference.
    void changed(temper::ui::ThemeMode preferred);

private:
    void read(const QDBusConnection& bus);
    void say(const QVariant& value);

private slots:
    void settingChanged(const QString& group, const QString& key, const QDBusVariant& value);
};

}  // namespace temper::ui
