// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/session/training_session.h"

namespace temper::test {

/// A loss of loss_golden.json, computed by PyTorch (make_loss_golden.py), or of token_golden.json,
/// computed by NumPy (make_token_golden.py): a model whose outputs are its parameters
/// `parameter_<output>`, whose gradients are therefore those of the outputs.
struct LossCase {
    std::string formula;
    std::map<std::string, Tensor> outputs;
    std::map<std::string, Tensor> targets;
    double loss = 0;
    std::map<std::string, Tensor> gradients;  ///< by output

    std::unique_ptr<Graph> model() const;
    ArtifactSpec spec() const;
    /// All inputs of the training model by name.
    std::map<std::string, Tensor> feeds() const;
};

const std::vector<LossCase>& lossCases();
/// One row for each case, named after its formula, with its index in the column "index".
void addLossRows();
/// Every loss and option, but not with every reduction: for tests that take seconds per row.
void addFewLossRows();

}  // namespace temper::test
