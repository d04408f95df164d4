// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/language_actions.h"

#include <QAction>
#include <QActionGroup>

#include "ui/translation/languages.h"
#include "ui/window/messages.h"
#include "ui/window/workspace.h"

namespace temper::ui {

LanguageActions::LanguageActions(const WindowContext& context) : ActionGroup(context) {
    auto* group = new QActionGroup(this);
    const auto addLanguage = [this, group](const QString& code, const QString& id,
                                           const QString& title) {
        QAction* action =
            addCheckable(QStringLiteral("language.") + id, MenuId::View, title, {}, {});
        connect(action, &QAction::triggered, this, [this, code] { setLanguage(code); });
        action->setChecked(code == chosenLanguage(context_.work.settings));
        group->addAction(action);
    };
    addLanguage({}, QStringLiteral("system"), tr("Desktop language"));
    for (const Language& language : languages())
        addLanguage(language.code, language.code, tr("Language: %1").arg(language.name));
}

void LanguageActions::setLanguage(const QString& code) {
    chooseLanguage(context_.work.settings, code);
    context_.messages.offer(
        Banner::Kind::Info,
        {tr("The language changes at the next start"),
         tr("Until then, everything open stays as it is."),
         {}},
        {QStringLiteral("restart"), tr("Restart now"), [this] { emit restartRequested(); }});
}

}  // namespace temper::ui
