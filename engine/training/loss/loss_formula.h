// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "engine/core/error.h"

namespace temper {

/// A range in the text of a loss: bytes from `begin` up to `end`.
struct TextRange {
    size_t begin = 0;
    size_t end = 0;
};

/// `key=value` in a call: a number, a word or a list of numbers.
struct LossOption {
    std::string key;
    std::variant<double, std::string, std::vector<double>> value;
    TextRange keyRange;
    TextRange valueRange;
};

/// A part of a loss: a number, the name of a value, an operation on parts, or a call with parts as
/// arguments.
struct LossTerm {
    enum class Kind { Number, Name, Call, Negate, Add, Subtract, Multiply, Divide, Power };
    Kind kind = Kind::Number;
    TextRange range;      ///< of the whole term
    TextRange nameRange;  ///< of a call's name, or of an operator's sign
    double number = 0;
    std::string name;             ///< of a value or of the called function
    bool isQuoted = false;        ///< the name was in quotes
    std::vector<LossTerm> parts;  ///< operands, or a call's arguments in order
    std::vector<LossOption> options;
};

/// A loss as text, such as `0.4*mse(out1, target1) + 0.6*l1(out2, target2, reduction=sum)`.
struct LossFormula {
    std::string text;
    LossTerm root;
};

/// Grammar:
///
///     sum     = product { ("+" | "-") product }
///     product = factor { ("*" | "/") factor }
///     factor  = ["-" | "+"] factor | power
///     power   = atom ["^" factor]
///     atom    = number | name | name "(" [argument { "," argument }] ")" | "(" sum ")"
///     argument = word "=" (["-"] number | word | "[" number { "," number } "]") | sum
///     name    = letter or "_", then letters, digits, "_", "." | any text in "..." or '...'
///
/// Throws: Error(InvalidInput) that points at the character.
LossFormula parseLoss(const std::string& text);

/// An error whose message shows the text with the range marked in a line below; of a long text,
/// only what surrounds the mark.
Error lossError(const std::string& text, TextRange range, const std::string& message,
                const std::string& hint);

}  // namespace temper
