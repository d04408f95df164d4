// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <filesystem>

#include "app/cli/checkpoint_diff.h"
#include "app/cli/commands.h"
#include "app/cli/inspection.h"
#include "engine/core/file_group.h"
#include "engine/core/file_lock.h"
#include "engine/data/npy_file.h"
#include "engine/onnx/checkpoint_folder.h"
#include "engine/training/artifacts/names_beside.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

struct ShowOptions {
    std::string file;
    bool json = false;
};

void show(const ShowOptions& options, CliContext& context) {
    const Inspection inspection =
        inspectCheckpoint(loadCheckpoint(options.file), moduleNamesBeside(options.file));
    if (options.json) {
        printJson(context, toJson(inspection));
    } else {
        print(context.out, inspection);
    }
}

struct DiffOptions {
    std::string first;
    std::string second;
    bool json = false;
};

void diff(const DiffOptions& options, CliContext& context) {
    const CheckpointDiff result =
        compareCheckpoints(loadCheckpoint(options.first), loadCheckpoint(options.second));
    ModuleNames names = moduleNamesBeside(options.first);
    names.merge(moduleNamesBeside(options.second));
    if (options.json) {
        printJson(context, toJson(result, names));
    } else {
        print(context.out, result, names);
    }
}

template <typename T>
std::optional<T> parsedWhole(const std::string& text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// An integer, a number with a point or exponent, or text; `type` decides if it is given.
PropertyValue parseProperty(const std::string& text, const std::string& type) {
    const auto integer = parsedWhole<int64_t>(text);
    const auto real = parsedWhole<float>(text);
    if (type == "string" || (type.empty() && !integer && !real)) return text;
    if (type != "float" && integer) return *integer;
    if (type != "int" && real) return *real;
    throw Error(ErrorCode::InvalidInput, "Value '" + text + "' is not of type " + type + ".",
                "Types are int, float and string.");
}

struct SetPropertyOptions {
    std::string file;
    std::string name;
    std::string value;
    std::string type;
    std::string out;
};

/// A run that writes to the folder would replace the file, and the property would be lost.
void setProperty(const SetPropertyOptions& options) {
    const fs::path target = options.out.empty() ? options.file : options.out;
    const FolderLock mine(target.has_parent_path() ? target.parent_path() : ".");
    CheckpointFile checkpoint = loadCheckpoint(options.file);
    checkpoint.properties[options.name] = parseProperty(options.value, options.type);
    writeCheckpoint(checkpoint, target);
}

struct ExtractOptions {
    std::string file;
    std::vector<std::string> names;
    std::string out;
};

/// Replaces characters that file names can't have by '_'.
std::string fileName(std::string name) {
    for (char& c : name) {
        if (c == '/' || c == ':' || c == '\\') c = '_';
    }
    return name + ".npy";
}

const NamedTensor& findTensor(const CheckpointFile& checkpoint, const std::string& name) {
    for (const auto* list : {&checkpoint.trainable, &checkpoint.frozen}) {
        for (const NamedTensor& tensor : *list) {
            if (tensor.name == name) return tensor;
        }
    }
    throw Error(ErrorCode::NotFound, "Parameter '" + name + "' is not in the checkpoint.",
                "See 'temper checkpoint show'.");
}

void extract(ExtractOptions options, CliContext& context) {
    const CheckpointFile checkpoint = loadCheckpoint(options.file);
    if (options.names.empty()) {
        for (const NamedTensor& tensor : checkpoint.trainable) options.names.push_back(tensor.name);
        for (const NamedTensor& tensor : checkpoint.frozen) options.names.push_back(tensor.name);
    }
    for (const std::string& name : options.names) findTensor(checkpoint, name);
    FileGroup group(options.out);
    for (const std::string& name : options.names) {
        const Tensor& data = findTensor(checkpoint, name).data;
        group.write(fileName(name), [&data](const fs::path& path) { writeNpy(path, data); });
    }
    group.commit();
    for (const std::string& name : options.names)
        context.out << (fs::path(options.out) / fileName(name)).string() << '\n';
}

void addShow(CLI::App& parent, CliContext& context) {
    auto* command = parent.add_subcommand("show", "Parameters, optimizer state, properties");
    const auto options = std::make_shared<ShowOptions>();
    command->add_option("FILE", options->file, "Checkpoint")->required();
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { show(*options, context); });
}

void addDiff(CLI::App& parent, CliContext& context) {
    auto* command = parent.add_subcommand("diff", "How parameters differ: norm, largest change");
    const auto options = std::make_shared<DiffOptions>();
    command->add_option("FIRST", options->first, "Checkpoint")->required();
    command->add_option("SECOND", options->second, "Checkpoint")->required();
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { diff(*options, context); });
}

void addSetProperty(CLI::App& parent) {
    auto* command = parent.add_subcommand("set-property", "Add or replace a property");
    const auto options = std::make_shared<SetPropertyOptions>();
    command->add_option("FILE", options->file, "Checkpoint")->required();
    command->add_option("NAME", options->name, "Name of the property")->required();
    command->add_option("VALUE", options->value, "Integer, number or text")->required();
    command->add_option("--type", options->type, "int, float or string (default: detected)")
        ->check(CLI::IsMember({"int", "float", "string"}));
    command->add_option("--out", options->out, "Write to this file instead")->type_name("FILE");
    command->callback([options] { setProperty(*options); });
}

void addExtract(CLI::App& parent, CliContext& context) {
    auto* command = parent.add_subcommand("extract", "Write parameters as .npy files");
    const auto options = std::make_shared<ExtractOptions>();
    command->add_option("FILE", options->file, "Checkpoint")->required();
    command->add_option("NAME", options->names, "Parameters (default: all)");
    command->add_option("--out", options->out, "Folder for the files")
        ->type_name("DIR")
        ->required();
    command->callback([options, &context] { extract(*options, context); });
}

}  // namespace

void addCheckpointCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("checkpoint", "Show, compare and edit checkpoints");
    command->require_subcommand(1);
    addShow(*command, context);
    addDiff(*command, context);
    addSetProperty(*command);
    addExtract(*command, context);
}

}  // namespace temper::cli
