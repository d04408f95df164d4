// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace temper {

/// The known word that is closest to `word`, where one is close enough to be meant; else empty.
std::string closestWord(const std::string& word, const std::vector<std::string>& known);
/// Whether one letter is changed, missing or too many, or two neighbours are swapped.
bool isAlmost(const std::string& word, const std::string& known);
/// "Did you mean 'mse'? " where a word is close, else empty.
std::string didYouMean(const std::string& word, const std::vector<std::string>& known);

}  // namespace temper
