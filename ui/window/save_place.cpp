// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/save_place.h"

#include <QFileDialog>

#include "ui/document/studio_project.h"
#include "ui/translation/tr.h"

namespace temper::ui {

QString askSavePlace(QWidget& window, const StudioProject& project) {
    return QFileDialog::getSaveFileName(&window, tr("Save project: name a folder"), project.name(),
                                        {}, nullptr, QFileDialog::DontConfirmOverwrite);
}

}  // namespace temper::ui
