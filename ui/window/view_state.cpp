// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/view_state.h"

#include <QJsonArray>
#include <QSplitter>

#include "ui/document/studio_project.h"
#include "ui/window/page_stack.h"
#include "ui/window/presenter_mode.h"
#include "ui/window/window_docks.h"

namespace temper::ui {
namespace {

const QString kDocksKey = QStringLiteral("docks");
const QString kPageKey = QStringLiteral("page");
const QString kSplittersKey = QStringLiteral("splitters");

QString textOf(const QByteArray& state) { return QString::fromLatin1(state.toBase64()); }

QByteArray stateOf(const QJsonValue& text) {
    return QByteArray::fromBase64(text.toString().toLatin1());
}

QJsonArray splittersOf(const QWidget& page) {
    QJsonArray states;
    for (const QSplitter* splitter : page.findChildren<QSplitter*>())
        states.append(textOf(splitter->saveState()));
    return states;
}

/// Ignores states from another version of the page.
void divide(const QWidget& page, const QJsonArray& states) {
    const QList<QSplitter*> splitters = page.findChildren<QSplitter*>();
    if (splitters.size() != states.size()) return;
    for (qsizetype i = 0; i < states.size(); ++i) splitters[i]->restoreState(stateOf(states[i]));
}

}  // namespace

ViewState::ViewState(StudioProject& project, PageStack& pages, WindowDocks& docks,
                     const PresenterMode& presenter)
    : project_(project), pages_(pages), docks_(docks), presenter_(presenter) {
    connect(&project_, &StudioProject::aboutToSave, this, &ViewState::keep);
    connect(&project_, &StudioProject::modelChanged, this, &ViewState::show);
}

/// Presenter mode does not save docks and divisions.
void ViewState::keep() {
    project_.setView(kPageKey, pages_.current());
    if (presenter_.isOn()) return;
    project_.setView(kDocksKey, QJsonObject{{"layout", textOf(docks_.layout())},
                                            {"open", QJsonArray::fromStringList(docks_.wanted())}});
    QJsonObject splitters;
    for (const auto& [id, page] : pages_.pages())
        if (const QJsonArray states = splittersOf(*page); !states.isEmpty()) splitters[id] = states;
    project_.setView(kSplittersKey, splitters);
}

void ViewState::show() {
    // The same model with another head: the user stays on the page that changed it.
    const bool isEdited = project_.model() && project_.generation() == shownGeneration_;
    shownGeneration_ = project_.generation();
    if (isEdited) return;
    showPage();
    if (!restore()) docks_.setWanted(QStringLiteral("lesson"), project_.lesson().has_value());
}

void ViewState::showPage() {
    if (!project_.model()) return pages_.showStart();
    const QString page = project_.view(kPageKey).toString();
    pages_.show(page.isEmpty() ? QStringLiteral("model") : page);
}

bool ViewState::restore() {
    const QJsonValue splitters = project_.view(kSplittersKey);
    for (const auto& [id, page] : pages_.pages()) divide(*page, splitters[id].toArray());
    const QJsonValue docks = project_.view(kDocksKey);
    if (!docks.isObject() || presenter_.isOn()) return false;
    QStringList open;
    for (const QJsonValue id : docks["open"].toArray()) open << id.toString();
    return docks_.restore(stateOf(docks["layout"]), open);
}

}  // namespace temper::ui
