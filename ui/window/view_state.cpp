// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/view_state.h"

#include <QJsonArray>
#include <QSplitter>

#include "ui/document/studio_project.h"
#include "ui/window/presenter_mode.h"
#include "ui/window/window_docks.h"

namespace temper::ui {
namespace {

const QString kDocksKey = QStringLiteral("docks");
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

/// Those of another version of the page are not meant.
void divide(const QWidget& page, const QJsonArray& states) {
    const QList<QSplitter*> splitters = page.findChildren<QSplitter*>();
    if (splitters.size() != states.size()) return;
    for (qsizetype i = 0; i < states.size(); ++i) splitters[i]->restoreState(stateOf(states[i]));
}

}  // namespace

ViewState::ViewState(StudioProject& project, WindowDocks& docks, const PresenterMode& presenter,
                     const std::map<QString, QWidget*>& pages)
    : project_(project), docks_(docks), presenter_(presenter), pages_(pages) {}

void ViewState::keep() {
    if (presenter_.isOn()) return;
    project_.setView(kDocksKey, QJsonObject{{"layout", textOf(docks_.layout())},
                                            {"open", QJsonArray::fromStringList(docks_.wanted())}});
    QJsonObject splitters;
    for (const auto& [id, page] : pages_)
        if (const QJsonArray states = splittersOf(*page); !states.isEmpty()) splitters[id] = states;
    project_.setView(kSplittersKey, splitters);
}

bool ViewState::restore() {
    const QJsonValue splitters = project_.view(kSplittersKey);
    for (const auto& [id, page] : pages_) divide(*page, splitters[id].toArray());
    const QJsonValue docks = project_.view(kDocksKey);
    if (!docks.isObject() || presenter_.isOn()) return false;
    QStringList open;
    for (const QJsonValue id : docks["open"].toArray()) open << id.toString();
    return docks_.restore(stateOf(docks["layout"]), open);
}

}  // namespace temper::ui
