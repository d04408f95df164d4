// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/artifact_actions.h"

#include <QAction>
#include <QFileDialog>
#include <QMainWindow>

#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/evaluation/norm_statistics.h"
#include "ui/run/run_request.h"
#include "ui/window/messages.h"
#include "ui/window/workspace.h"

namespace temper::ui {

ArtifactActions::ArtifactActions(const WindowContext& context) : ActionGroup(context) {
    for (const auto& [id, action] : context_.work.training.all()) add(id, MenuId::Training, action);
    QAction* generate =
        add(QStringLiteral("artifacts.generate"), MenuId::Training, tr("Write training files…"),
            QStringLiteral("export"), {QKeySequence("Ctrl+B")}, [this] { askFolder(); });
    add(QStringLiteral("artifacts.export"), MenuId::Training, tr("Export model"),
        QStringLiteral("export"), {QKeySequence("Ctrl+E")},
        [this] { emit context_.work.navigator.pageRequested(QStringLiteral("export")); });
    const StudioProject& project = context_.work.project;
    const auto refresh = [&project, generate] {
        const auto& preparation = project.preparation();
        generate->setEnabled(preparation && preparation->artifacts && !project.isPreparing());
    };
    connect(&project, &StudioProject::preparationChanged, generate, refresh);
    refresh();
}

void ArtifactActions::askFolder() {
    const QString folder =
        QFileDialog::getExistingDirectory(&context_.window, tr("Folder for training files"));
    if (folder.isEmpty()) return;
    const StudioProject& project = context_.work.project;
    if (!project.spec().restoreNorms.empty() && !project.isReadyToTrain())
        return context_.messages.report(
            {tr("The training files need data"),
             tr("Running statistics of the batch normalizations that were put back are measured in "
                "the training samples."),
             tr("Choose data first.")});
    write(folder);
}

void ArtifactActions::write(const QString& folder) {
    StudioProject& project = context_.work.project;
    project.tasks()->mustFinish(project.tasks()->run(
        tr("Writing training files"), tr("The training files could not be written"),
        [request = makeRunRequest(project, true), spec = project.spec(),
         path = folder.toStdString()](std::stop_token) {
            const RunRequest& r = request;
            saveArtifacts(
                spec.restoreNorms.empty()
                    ? *r.artifacts
                    : withMeasuredNorms(*r.artifacts, r.ops, *r.data.training, r.data.binding,
                                        r.run.batchSize, r.run.session.seed),
                path, spec.artifacts);
            return true;
        },
        [this, folder](bool) {
            context_.messages.tell(tr("Training files written to %1").arg(folder));
        },
        [this](const Problem& problem) { context_.messages.report(problem); }));
}

}  // namespace temper::ui
