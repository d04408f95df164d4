// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/translation/engine_texts.h"

#include <QCoreApplication>
#include <string>

namespace temper::ui {

QString engineText(std::string_view english) {
    if (english.empty()) return {};
    return QCoreApplication::translate(kEngineContext, std::string(english).c_str());
}

}  // namespace temper::ui
