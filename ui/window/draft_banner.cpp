// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/draft_banner.h"

#include <QLocale>

#include "ui/document/autosave.h"

namespace temper::ui {

DraftBanner::DraftBanner(Autosave& autosave, QWidget* parent)
    : Banner(parent), autosave_(autosave) {
    setAccessibleName(tr("Unsaved choices"));
    connect(&autosave_, &Autosave::offeredChanged, this, &DraftBanner::refresh);
    refresh();
}

void DraftBanner::refresh() {
    const auto& draft = autosave_.offered();
    if (!draft) return hide();
    show(Kind::Info,
         {tr("Unsaved choices of %1 from %2")
              .arg(draft->title(), QLocale().toString(draft->time, QLocale::ShortFormat)),
          {},
          {}},
         {{QStringLiteral("restoreDraft"), tr("Restore"), [this] { autosave_.restore(); }},
          {QStringLiteral("discardDraft"), tr("Discard"), [this] { autosave_.discard(); }}});
}

}  // namespace temper::ui
