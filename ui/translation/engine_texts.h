// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

namespace temper::ui {

/// The context of texts in the tables of the engine: labels and help of losses, optimizers,
/// schedules and their numbers, classes of parameters, metrics, lessons.
inline constexpr char kEngineContext[] = "engine";

/// Such a text in the language of the window; English if it has no translation. The engine knows
/// neither Qt nor languages: tools/update_translations.sh collects its texts for translators.
QString engineText(std::string_view english);

}  // namespace temper::ui
