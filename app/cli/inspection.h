// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/cli_context.h"
#include "app/cli/feeds.h"
#include "engine/ops/op_set.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/provenance/module_names.h"
#include "engine/training/edits/fixed_inputs.h"

namespace temper::cli {

/// One parameter, of a model or of a checkpoint.
struct InspectedParameter {
    std::string name;
    DType dtype = DType::Undefined;
    SymbolicShape shape;
    std::string parameterClass;  ///< "trainable", "batch-norm statistic", "frozen", ...
    bool trainable = false;
    int64_t bytes = 0;        ///< 0 if a dimension is unknown
    std::string reason = {};  ///< why it has this class; empty: unknown
    /// Its names in the exported module, if they differ.
    std::vector<std::string> moduleNames = {};
};

/// Nodes that together are one operation, which the exporter decomposed.
struct InspectedBlock {
    std::string name;
    std::vector<std::string> nodes;  ///< their names, or those of their outputs
};

/// The contents of a file or folder.
struct Inspection {
    std::string kind;  ///< "model", "training", "eval", "optimizer", "checkpoint", "artifacts"
    std::vector<FeedInput> inputs;
    std::vector<FeedInput> outputs;
    std::map<std::string, int64_t> opsets;
    std::map<std::string, int64_t> operators;  ///< qualified operator to number of nodes
    std::map<std::string, std::vector<InspectedBlock>> blocks;  ///< by kind
    std::vector<InspectedParameter> parameters;
    std::vector<Finding> findings;
    std::map<std::string, PropertyValue> properties;
    std::vector<OptimizerGroupState> optimizerGroups;
    bool isNominal = false;
};

/// Determines by its content what `path` is. `prefix` precedes the standard names in a folder;
/// `fixedInputs` are those of a model, see fixInputs().
/// Throws: Error naming the file, also for fixed inputs if it is not a model.
Inspection inspectPath(const std::filesystem::path& path, const std::string& prefix,
                       const OpSet& ops, const FixedInputs& fixedInputs = {});
/// `names` are those of its tensors in the module.
Inspection inspectCheckpoint(const CheckpointFile& checkpoint, const ModuleNames& names = {});

/// "val_1 (fc.weight)".
std::string nameText(const std::string& tensor, const std::vector<std::string>& moduleNames);

/// The document of `inspect --json`.
Json toJson(const Inspection& inspection);
Json toJson(const PropertyValue& value);
/// The same for human readers.
void print(std::ostream& stream, const Inspection& inspection);

}  // namespace temper::cli
