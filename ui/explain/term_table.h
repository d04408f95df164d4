// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/explain/terms.h"

namespace temper::ui {

/// The parts of terms().
std::vector<Term> dataTerms();
std::vector<Term> objectiveTerms();
std::vector<Term> modelTerms();
/// The terms of the message codes; the id of each is the code.
std::vector<Term> codeTerms();
std::vector<Term> dataCodeTerms();
/// The same of messages about model files and checkpoints.
std::vector<Term> fileCodeTerms();

}  // namespace temper::ui
