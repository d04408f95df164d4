// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/picture_saver.h"

#include <QFileDialog>
#include <QPointer>

#include "ui/graph_view/graph_picture.h"
#include "ui/graph_view/graph_view.h"
#include "ui/tasks/task_runner.h"
#include "ui/theme/colors.h"
#include "ui/widgets/written_file.h"

namespace temper::ui {

PictureSaver::PictureSaver(TaskRunner& tasks, GraphView& view, QObject* parent)
    : QObject(parent), tasks_(tasks), view_(view) {}

void PictureSaver::ask() {
    if (!view_.drawing()) return;
    const QString path =
        QFileDialog::getSaveFileName(&view_, tr("Save picture"), QStringLiteral("graph.svg"),
                                     tr("Drawings (*.svg);;Pictures (*.png)"));
    if (!path.isEmpty()) save(path);
}

void PictureSaver::save(const QString& path) {
    if (!view_.drawing()) return;
    const Colors& colors = colorsOf(view_.palette());
    GraphPicture picture{view_.drawing(), {}, colors.isDark, view_.font()};
    picture.look.overlay =
        makeOverlay(view_.overlay(), *view_.drawing(), view_.overlayData(), colors);
    picture.look.path = view_.path();
    const QPointer<PictureSaver> self(this);
    tasks_.mustFinish(tasks_.run(
        tr("Saving the picture"), tr("The picture could not be saved"),
        [picture = std::move(picture), path](std::stop_token) {
            savePicture(picture, path);
            return path;
        },
        [self](const QString& written) {
            if (self) tellWritten(&self->view_, written);
        },
        [self](const Problem& problem) {
            if (self) emit self->problemFound(problem);
        }));
}

}  // namespace temper::ui
