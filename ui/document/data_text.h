// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>

namespace temper::ui {

/// Where the data of a specification is, as a person would write it: the path without the kind and
/// the options. A text that is no specification stays as it is.
QString dataPlaceText(const std::string& spec);

/// The data of a specification in a few words: "wake.npz, 80 % to train".
QString dataText(const std::string& spec);

}  // namespace temper::ui
