// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/recent_menu.h"

#include <QFileInfo>

#include "ui/document/recent_files.h"
#include "ui/theme/icons.h"

namespace temper::ui {

RecentMenu::RecentMenu(RecentFiles& recent, QWidget* parent)
    : QMenu(tr("Open recent"), parent), recent_(recent) {
    connect(this, &QMenu::aboutToShow, this, &RecentMenu::fill);
}

void RecentMenu::fill() {
    clear();
    bool isPinned = false;
    for (const QString& path : recent_.paths()) {
        if (isPinned && !recent_.isPinned(path)) addSeparator();
        isPinned = recent_.isPinned(path);
        // Ampersands in names are not mnemonics.
        QAction* action = addAction(QString(path).replace(QLatin1Char('&'), QLatin1String("&&")),
                                    this, [this, path] { emit chosen(path); });
        if (isPinned) action->setIcon(themedIcon(QStringLiteral("pin")));
        action->setEnabled(QFileInfo::exists(path));
    }
    addSeparator();
    addAction(tr("Clear list"), &recent_, &RecentFiles::clear)->setEnabled(recent_.canClear());
}

}  // namespace temper::ui
