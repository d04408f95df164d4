// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/conformance_case.h"
#include "app/cli/number_checks.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/specialization.h"
#include "engine/training/opset/opset_conversion.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kFailed = 1;
struct ConformanceOptions {
    std::string folder;
    int threads = 0;
    bool json = false;
};

struct Case {
    std::string name;
    fs::path folder;
};

std::vector<Case> findCases(const fs::path& root) {
    if (!fs::is_directory(root)) {
        throw Error(ErrorCode::NotFound, "'" + root.string() + "' is not a folder.",
                    "Expected a folder of ONNX backend tests.");
    }
    std::vector<Case> cases;
    const auto add = [&](const fs::path& folder) {
        if (!isConformanceCase(folder)) return;
        const std::string name = fs::relative(folder, root).string();
        cases.push_back({name == "." ? folder.filename().string() : name, folder});
    };
    add(root);
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.is_directory()) add(entry.path());
    }
    std::ranges::sort(cases, {}, &Case::name);
    if (cases.empty()) {
        throw Error(ErrorCode::InvalidInput, "'" + root.string() + "' contains no test cases.",
                    "A case is a folder with 'model.onnx' and 'test_data_set_0'.");
    }
    return cases;
}

/// The operators of a model, and those without a kernel.
struct Operators {
    std::set<std::string> all;
    std::set<std::string> missing;
};

Operators operatorsOf(const Case& test, const OpSet& ops) {
    Operators operators;
    try {
        const std::unique_ptr<Graph> model =
            loadModel(test.folder / "model.onnx", {.unifyOpsets = opsetUnifier(ops.catalog)});
        for (const Node* node : model->nodes()) {
            operators.all.insert(node->qualifiedOp());
            if (!canRun(*node, ops.catalog, ops.cpuKernels))
                operators.missing.insert(node->qualifiedOp());
        }
    } catch (const Error&) {
        // The reason is that the model can't be read.
    }
    return operators;
}

class Conformance {
public:
    Conformance(const ConformanceOptions& options, CliContext& context)
        : options_(options),
          context_(context),
          ops_(std::make_shared<const OpSet>(standardOps())) {}

    void run() {
        for (const Case& test : findCases(options_.folder)) runOne(test);
        if (options_.json) {
            printJson(context_, {{"passed", passed_},
                                 {"failed", failed_},
                                 {"unsupported", unsupported_},
                                 {"compared_by_support", drawn_}});
        } else {
            print();
        }
        if (!failed_.empty()) context_.exitStatus = kFailed;
    }

private:
    void runOne(const Case& test) {
        try {
            const CaseResult result = runConformanceCase(test.folder, ops_, options_.threads);
            if (result.isDrawn) drawn_.push_back(test.name);
            if (result.problem.empty()) {
                passed_.push_back(test.name);
            } else {
                failed_.push_back({{"name", test.name}, {"reason", result.problem}});
            }
        } catch (const Error& error) {
            addError(test, error);
        }
    }

    void addError(const Case& test, const Error& error) {
        if (error.code() != ErrorCode::Unsupported) {
            failed_.push_back({{"name", test.name}, {"reason", error.what()}});
            return;
        }
        const Operators operators = operatorsOf(test, *ops_);
        for (const std::string& op : operators.missing) ++missing_[op];
        if (operators.missing.empty()) otherwise_.push_back(test.name + ": " + error.what());
        const auto& named = operators.missing.empty() ? operators.all : operators.missing;
        unsupported_.push_back(
            {{"name", test.name}, {"operators", named}, {"reason", error.what()}});
    }

    void print() {
        for (const Json& failure : failed_) {
            context_.out << "failed: " << failure["name"].get<std::string>() << ": "
                         << failure["reason"].get<std::string>() << '\n';
        }
        for (const std::string& name : drawn_) {
            context_.out << "random: " << name << " is compared by dtype, shape and support\n";
        }
        for (const std::string& reason : otherwise_) {
            context_.out << "unsupported: " << reason << '\n';
        }
        for (const auto& [op, count] : missing_) {
            context_.out << "unsupported: " << op << ", " << count
                         << (count == 1 ? " case\n" : " cases\n");
        }
        context_.out << passed_.size() << " passed, " << failed_.size() << " failed, "
                     << unsupported_.size() << " unsupported\n";
    }

    const ConformanceOptions& options_;
    CliContext& context_;
    std::shared_ptr<const OpSet> ops_;
    std::vector<std::string> passed_;
    std::vector<std::string> drawn_;  ///< of random operators
    Json failed_ = Json::array();
    Json unsupported_ = Json::array();
    std::map<std::string, int> missing_;  ///< cases by operator
    std::vector<std::string> otherwise_;  ///< cases whose operators all run, and what fails
};

}  // namespace

void addConformanceCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("conformance", "Run ONNX backend test folders");
    const auto options = std::make_shared<ConformanceOptions>();
    command->add_option("DIR", options->folder, "Folder of test cases")->required();
    command->add_option("--threads", options->threads, "Threads; 0: one per core")
        ->check(between(0, 4096));
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { Conformance(*options, context).run(); });
}

}  // namespace temper::cli
