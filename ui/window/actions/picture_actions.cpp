// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/picture_actions.h"

#include <QBuffer>
#include <QFileDialog>
#include <QImage>
#include <QMainWindow>

#include "engine/core/file.h"
#include "ui/window/messages.h"
#include "ui/window/workspace.h"

namespace temper::ui {

PictureActions::PictureActions(const WindowContext& context) : ActionGroup(context) {
    add(QStringLiteral("window.picture"), MenuId::File, tr("Save a picture…"), {}, {},
        [this] { askPicture(); });
}

void PictureActions::askPicture() {
    const QImage picture = context_.window.grab().toImage();  // before a dialog is in the way
    const QString path = QFileDialog::getSaveFileName(
        &context_.window, tr("Save a picture of the window"),
        context_.work.project.name() + QStringLiteral(".png"), tr("Pictures (*.png)"));
    if (!path.isEmpty()) save(picture, path);
}

void PictureActions::save(const QImage& picture, const QString& path) {
    context_.work.project.tasks()->mustFinish(context_.work.project.tasks()->run(
        tr("Writing the picture"), tr("The picture could not be written"),
        [picture, path](std::stop_token) {
            QByteArray png;
            QBuffer buffer(&png);
            buffer.open(QIODevice::WriteOnly);
            picture.save(&buffer, "PNG");
            writeFileAtomically(path.toStdString(), png.toStdString());
            return path;
        },
        [this](const QString& written) { context_.messages.tellWritten(written); },
        [this](const Problem& problem) { context_.messages.report(problem); }));
}

}  // namespace temper::ui
