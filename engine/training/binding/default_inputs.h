// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/batch_loader.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// What feeds an input that no column is bound to.
struct DefaultInput {
    BatchField field;  ///< every sample of it is the same
    std::string what;  ///< in words: "ones"
};

/// The value of an input of language models that data often lack, for sequences of `length` tokens
/// behind a cache of `cached` ones; absent for any other input, or where the length is not known.
std::optional<DefaultInput> defaultInput(const std::string& name, const ValueType& type,
                                         std::optional<int64_t> length, int64_t cached = 0);

/// Values for the inputs of language models that data often lack, by the length T of the sequences
/// that are bound: an attention mask of ones, positions 0 to T - 1, segments of zeros, empty
/// caches. Behind a cache that is bound, with P tokens in it, the mask is P + T long and positions
/// begin with P. `types`: of all inputs of the model.
class DefaultInputs {
public:
    /// `samples`: the shapes, without the axis of the samples, of what the other inputs are fed.
    DefaultInputs(std::map<std::string, ValueType> types,
                  const std::map<std::string, Shape>& samples);
    DefaultInputs(std::map<std::string, ValueType> types, const Dataset& data,
                  const std::map<std::string, std::string>& binding);

    /// Absent for an input that is none of them, or where T is not known.
    std::optional<DefaultInput> of(const std::string& input) const;

private:
    std::map<std::string, ValueType> types_;
    std::optional<int64_t> length_;  ///< T
    int64_t cached_ = 0;             ///< P
};

/// The inputs of a session's models and their types.
std::map<std::string, ValueType> inputTypesOf(const TrainingSession& session);

}  // namespace temper
