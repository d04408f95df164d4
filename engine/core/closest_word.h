// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace temper {

/// The known word closest to `word`, if one is close enough to be what was meant; else one that
/// abbreviates the other ("ckpt", "checkpoint"; "learning-rate", "lr"); else empty.
std::string closestWord(const std::string& word, const std::vector<std::string>& known);
/// Whether one letter is changed, missing or extra, or two neighbours are swapped.
bool isAlmost(const std::string& word, const std::string& known);
/// "Did you mean 'mse'? " if a word is close, else empty.
std::string didYouMean(const std::string& word, const std::vector<std::string>& known);

}  // namespace temper
