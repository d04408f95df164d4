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
    BatchField field;  ///< all samples are the same
    std::string what;  ///< in words: "ones"
};

/// The value of an input of language models that data often lack, for sequences of `length` tokens
/// after a cache of `cached` ones; absent for any other input, or if the length is unknown.
std::optional<DefaultInput> defaultInput(const std::string& name, const ValueType& type,
                                         std::optional<int64_t> length, int64_t cached = 0);

/// Values for the inputs of language models that data often lack, for bound sequences of length T:
/// an attention mask of ones, positions 0 to T - 1, segments of zeros, empty caches. With a bound
/// cache of P tokens, the mask is P + T long and positions start at P. `types`: of all inputs of
/// the model.
class DefaultInputs {
public:
    /// `samples`: the shapes that the other inputs are fed, without the sample axis.
    DefaultInputs(std::map<std::string, ValueType> types,
                  const std::map<std::string, Shape>& samples);
    DefaultInputs(std::map<std::string, ValueType> types, const Dataset& data,
                  const std::map<std::string, std::string>& binding);

    /// Absent for any other input, or if T is unknown.
    std::optional<DefaultInput> of(const std::string& input) const;

private:
    std::map<std::string, ValueType> types_;
    std::optional<int64_t> length_;  ///< T
    int64_t cached_ = 0;             ///< P
};

/// The inputs of a session's models and their types.
std::map<std::string, ValueType> inputTypesOf(const TrainingSession& session);

}  // namespace temper
