// SPDX-License-Identifier: Apache-2.0
#include "app/cli/spec_options.h"

#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"

namespace temper::cli {

void SpecOptions::addTo(CLI::App& command) {
    loss.addTo(command, "Loss");
    optimizer.addTo(command, "Optimizer");
    command.add_option("--train", train, "Parameters to train: names or patterns such as 'fc*'");
    command.add_option("--freeze", freeze, "Parameters to keep as they are: names or patterns");
    command.add_option("--loss-input", lossInputs, "Model output that the loss reads");
    command.add_option("--extra-output", extraOutputs,
                       "Further values that training and eval model give out");
}

void SpecOptions::addStraightThroughTo(CLI::App& command) {
    command.add_option("--straight-through", straightThrough,
                       "Operators (Round, Floor, Ceil, Sign, ...) or nodes of zero derivative that "
                       "pass the gradient on unchanged");
}

ArtifactSpec SpecOptions::spec() const {
    ArtifactSpec spec;
    spec.trainable = train;
    spec.frozen = freeze;
    spec.loss = loss.selection();
    spec.lossInputs = lossInputs;
    spec.optimizer = optimizer.selection();
    spec.extraOutputs = extraOutputs;
    spec.straightThrough = straightThrough;
    return spec;
}

std::unique_ptr<Graph> loadForwardModel(const std::string& path, const OpSet& ops) {
    std::unique_ptr<Graph> model = loadModel(path);
    for (const Finding& finding : inferTypes(*model, ops.catalog)) {
        if (finding.severity != Severity::Error) continue;
        Error error(ErrorCode::InvalidInput, finding.message, finding.hint);
        error.addContext("model '" + path + "'");
        throw error;
    }
    return model;
}

}  // namespace temper::cli
