// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/untitled_banner.h"

#include <QLocale>
#include <utility>

#include "ui/document/studio_project.h"
#include "ui/document/untitled_documents.h"
#include "ui/panels/start/untitled_list.h"

namespace temper::ui {

UntitledBanner::UntitledBanner(StudioProject& project, UntitledDocuments& documents,
                               QWidget* parent)
    : Banner(parent), project_(project), documents_(documents) {
    setAccessibleName(tr("Untitled document"));
    connect(&project_, &StudioProject::opened, this, &UntitledBanner::modelOpened);
    connect(&project_, &StudioProject::modelChanged, this, [this] {
        if (!project_.model()) hide();
    });
    connect(&documents_, &UntitledDocuments::changed, this, &UntitledBanner::refresh);
}

/// Only for a bare model: a project or a document was opened on purpose.
void UntitledBanner::modelOpened() {
    hide();
    offered_.clear();
    isLooking_ = !project_.store().held();
    if (isLooking_) documents_.refresh();
}

void UntitledBanner::refresh() {
    if (isHidden()) offered_.clear();
    if (std::exchange(isLooking_, false) && project_.model()) {
        const UntitledDocument* document = documents_.newestOf(project_.spec().model);
        if (document && !document->isOpen) offered_ = document->folder;
    }
    const UntitledDocument* document = documents_.find(offered_);
    if (document == nullptr || !project_.model()) return hide();
    const QString time = QLocale().toString(document->time, QLocale::ShortFormat);
    const QString title =
        (document->trainedSteps() > 0 ? tr("Found trained weights of %1 from %2")
                                      : tr("Found unsaved choices for %1 from %2"))
            .arg(document->title, time);
    show(Kind::Info, {title, tr("They are in their own untitled document."), {}},
         {{QStringLiteral("openDocument"), tr("Open it"),
           [this, folder = offered_] {
               hide();  // once is enough
               emit openRequested(folder);
           }},
          {QStringLiteral("throwAwayDocument"), tr("Discard"), [this] {
               if (const UntitledDocument* offered = documents_.find(offered_))
                   askThrowAway(*offered, documents_, *window());
           }}});
}

}  // namespace temper::ui
