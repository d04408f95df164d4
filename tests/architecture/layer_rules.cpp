// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/layer_rules.h"

#include <algorithm>
#include <regex>

namespace temper::test {

using Names = std::vector<std::string>;

namespace {

struct Layer {
    std::string folder;
    Names mayUse;  ///< folders; a layer may always use itself
};

struct Library {
    std::string name;
    std::regex header;
    std::regex home;  ///< of the paths that may include it
};

}  // namespace

/// The table of docs/architecture.md. A layer may use all folders of the layers that it uses.
static const std::vector<Layer>& layers() {
    static const std::vector<Layer> kLayers = {
        {"engine/core", {}},
        {"engine/distributed", {"engine/core"}},
        {"engine/ir", {"engine/core"}},
        {"engine/onnx", {"engine/ort", "engine/ir", "engine/core"}},
        {"engine/ort", {"engine/ir", "engine/core"}},
        {"engine/provenance", {"engine/ir", "engine/core"}},
        {"engine/autodiff", {"engine/provenance", "engine/ir", "engine/core"}},
        {"engine/runtime", {"engine/ir", "engine/core"}},
        {"engine/data", {"engine/core"}},
        {"engine/runs", {"engine/core"}},
        {"engine/ops", {"engine/autodiff", "engine/runtime", "engine/ir", "engine/core"}},
        {"engine/plugins", {"engine"}},
        {"engine/training/spec",
         {"engine/runtime", "engine/provenance", "engine/ir", "engine/core"}},
        {"engine/training/parameters",
         {"engine/training/spec", "engine/ops", "engine/runtime", "engine/autodiff",
          "engine/provenance", "engine/ir", "engine/core"}},
        {"engine/training/blocks", {"engine/ir", "engine/core"}},
        {"engine/training/loss",
         {"engine/training/blocks", "engine/training/spec", "engine/autodiff", "engine/ir",
          "engine/core"}},
        {"engine/training/optimizers",
         {"engine/training/blocks", "engine/training/parameters", "engine/training/spec",
          "engine/ops", "engine/autodiff", "engine/provenance", "engine/ir", "engine/core"}},
        {"engine/training/opset", {"engine/ops", "engine/onnx", "engine/ir", "engine/core"}},
        {"engine/training/edits",
         {"engine/training/loss", "engine/training/spec", "engine/ops", "engine/runtime",
          "engine/provenance", "engine/ir", "engine/core"}},
        {"engine/training/artifacts",
         {"engine/training/edits", "engine/training/opset", "engine/training/optimizers",
          "engine/training/loss", "engine/training/blocks", "engine/training/parameters",
          "engine/training/spec", "engine/ops", "engine/runtime", "engine/autodiff",
          "engine/provenance", "engine/ort", "engine/onnx", "engine/ir", "engine/core"}},
        {"engine/training/session",
         {"engine/training/artifacts", "engine/training/optimizers", "engine/training/loss",
          "engine/training/spec", "engine/data", "engine/ops", "engine/runtime", "engine/ort",
          "engine/onnx", "engine/ir", "engine/core"}},
        {"engine/training/binding",
         {"engine/training/session", "engine/training/loss", "engine/data", "engine/ir",
          "engine/core"}},
        {"engine/training/evaluation",
         {"engine/training/binding", "engine/training/session", "engine/training/edits",
          "engine/training/loss", "engine/distributed", "engine/runs", "engine/data",
          "engine/core"}},
        {"engine/training/monitors",
         {"engine/training/session", "engine/training/loss", "engine/runs", "engine/runtime",
          "engine/ir", "engine/core"}},
        {"engine/training/parallel",
         {"engine/training/monitors", "engine/training/session", "engine/training/optimizers",
          "engine/training/artifacts", "engine/distributed", "engine/data", "engine/ops",
          "engine/runtime", "engine/onnx", "engine/ir", "engine/core"}},
        {"engine/training/trainer",
         {"engine/training/parallel", "engine/training/monitors", "engine/training/evaluation",
          "engine/training/binding", "engine/training/session", "engine/training/optimizers",
          "engine/training/loss", "engine/training/spec", "engine/distributed", "engine/runs",
          "engine/data", "engine/ort", "engine/core"}},
        {"engine/training/analysis",
         {"engine/training/binding", "engine/training/session", "engine/training/artifacts",
          "engine/training/edits", "engine/training/loss", "engine/runs", "engine/data",
          "engine/ops", "engine/runtime", "engine/autodiff", "engine/ir", "engine/core"}},
        {"engine/training/rehearsal",
         {"engine/training/trainer", "engine/training/evaluation", "engine/training/binding",
          "engine/training/session", "engine/training/artifacts", "engine/training/edits",
          "engine/data", "engine/ops", "engine/runtime", "engine/ir", "engine/core"}},
        {"engine/training/export",
         {"engine/training/session", "engine/training/edits", "engine/training/opset",
          "engine/onnx", "engine/ir", "engine/core"}},
        {"engine/training/projects",
         {"engine/training/evaluation", "engine/training/opset", "engine/training/optimizers",
          "engine/training/loss", "engine/training/parameters", "engine/training/spec", "resources",
          "engine/runs", "engine/data", "engine/ops", "engine/autodiff", "engine/ort",
          "engine/onnx", "engine/ir", "engine/core"}},
        {"engine/training/ort_classic",
         {"engine/training/parallel", "engine/training/session", "engine/training/artifacts",
          "engine/training/opset", "engine/training/optimizers", "engine/distributed", "engine/ops",
          "engine/runtime", "engine/autodiff", "engine/onnx", "engine/ir", "engine/core"}},
        {"engine/jobs",
         {"engine/training/projects", "engine/training/trainer", "engine/ops", "engine/runs",
          "engine/core"}},
        {"resources", {"engine/core"}},
        {"temper", {"engine"}},
        {"ui/translation", {"engine", "resources"}},
        {"ui/theme", {"engine", "resources"}},
        {"ui/messages", {"ui/translation", "engine", "resources"}},
        {"ui/explain", {"ui/translation", "engine", "resources"}},
        {"ui/capture", {"ui/translation", "engine", "resources"}},
        {"ui/tasks", {"ui/messages", "engine", "resources"}},
        {"ui/widgets",
         {"ui/explain", "ui/messages", "ui/theme", "ui/translation", "engine", "resources"}},
        {"ui/tensor_view",
         {"ui/widgets", "ui/tasks", "ui/messages", "ui/theme", "ui/translation", "engine",
          "resources"}},
        {"ui/commands", {"ui/widgets", "ui/theme", "ui/translation", "engine", "resources"}},
        {"ui/document", {"ui/tasks", "ui/messages", "ui/translation", "engine", "resources"}},
        {"ui/checks", {"ui/document", "ui/messages", "ui/translation", "engine", "resources"}},
        {"ui/proposals", {"ui/document", "ui/messages", "ui/translation", "engine", "resources"}},
        {"ui/run",
         {"ui/checks", "ui/commands", "ui/document", "ui/tasks", "ui/messages", "ui/theme",
          "ui/translation", "engine", "resources"}},
        {"ui/plots", {"ui/run", "ui/widgets", "ui/theme", "ui/translation", "engine", "resources"}},
        {"ui/graph_view",
         {"ui/tensor_view", "ui/widgets", "ui/tasks", "ui/messages", "ui/theme", "ui/translation",
          "engine", "resources"}},
        {"ui/checkpoints",
         {"ui/tensor_view", "ui/run", "ui/document", "ui/explain", "ui/widgets", "ui/tasks",
          "ui/messages", "ui/theme", "ui/translation", "engine", "resources"}},
        {"ui/panels",
         {"ui/checkpoints", "ui/graph_view", "ui/plots", "ui/run", "ui/proposals", "ui/checks",
          "ui/document", "ui/commands", "ui/capture", "ui/tensor_view", "ui/explain", "ui/widgets",
          "ui/tasks", "ui/messages", "ui/theme", "ui/translation", "engine", "resources"}},
        {"ui/docks",
         {"ui/panels", "ui/plots", "ui/run", "ui/checks", "ui/document", "ui/commands",
          "ui/explain", "ui/widgets", "ui/tasks", "ui/messages", "ui/theme", "ui/translation",
          "engine", "resources"}},
        {"ui", {"ui", "engine", "resources"}},
        {"app/cli", {"engine", "resources"}},
        {"python/src", {"engine"}},
        {"capi", {"engine", "temper"}},
        {"app/studio", {"ui", "engine", "resources"}},
        {"plugins/examples", {"temper"}},
        {"plugins/template", {"temper"}},
        {"plugins/panels", {"temper"}},
        {"plugins/media", {"ui/capture", "engine/data"}},
        {"plugins", {"engine"}},
    };
    return kLayers;
}

static const std::vector<Library>& libraries() {
    static const std::vector<Library> kLibraries = {
        {"Qt", std::regex("^(Q[A-Z]|Qt|q[a-z]+\\.h$)"),
         std::regex("^(ui/|app/studio/|plugins/(media|panels)/)")},
        {"Qt Multimedia", std::regex("^Q(Audio|Camera|Media|Video)"),
         std::regex("^plugins/media/")},
        {"libonnx and protobuf", std::regex("^(onnx/|google/protobuf/|.*\\.pb\\.h$)"),
         std::regex("^engine/onnx/")},
        {"flatbuffers", std::regex("^flatbuffers/|_generated\\.h$"), std::regex("^engine/ort/")},
        {"oneDNN and OpenMP", std::regex("^(oneapi/dnnl/|dnnl|omp\\.h$)"),
         std::regex("^engine/runtime/cpu/|^engine/ops/.*_cpu\\.(cpp|h)$")},
        {"Highway", std::regex("^hwy/"),
         std::regex("^engine/runtime/cpu/|^engine/ops/.*_(cpu|inl)\\.(cpp|h)$")},
        {"RE2", std::regex("^re2/"), std::regex("^engine/training/parameters/")},
        {"cpp-httplib", std::regex("^httplib"), std::regex("^engine/jobs/")},
        {"SQLite", std::regex("^sqlite3"), std::regex("^engine/runs/")},
        {"libzip, libcsv and zlib", std::regex("^(zip|csv|zlib)\\.h$"),
         std::regex("^engine/data/")},
        {"libpng, libjpeg and libwebp", std::regex("^(png\\.h|jpeglib\\.h|jerror\\.h|webp/)"),
         std::regex("^engine/data/image/")},
        {"QCustomPlot", std::regex("^qcustomplot\\.h$"), std::regex("^ui/plots/")},
        {"nanobind and Python", std::regex("^(nanobind/|Python\\.h$)"), std::regex("^python/src/")},
        {"CLI11", std::regex("^CLI/"), std::regex("^app/cli/")},
        {"MPI", std::regex("^mpi\\.h$"), std::regex("^plugins/mpi/")},
    };
    return kLibraries;
}

static bool isBelow(const std::string& path, const std::string& folder) {
    return path.starts_with(folder + "/");
}

std::string layerOf(const std::string& path) {
    for (const Layer& layer : layers()) {
        if (isBelow(path, layer.folder)) return layer.folder;
    }
    return {};
}

/// The suffix of an operator's file determines what it may use; engine/ops is always allowed.
static Names allowedForOperator(const std::string& path) {
    if (path.find("_types.") != std::string::npos) return {"engine/ir", "engine/core"};
    if (path.find("_gradient.") != std::string::npos) {
        return {"engine/autodiff", "engine/ir", "engine/core"};
    }
    if (path.find("_cpu.") != std::string::npos) {
        return {"engine/runtime", "engine/ir", "engine/core"};
    }
    return {"engine/autodiff", "engine/runtime", "engine/ir", "engine/core"};
}

/// A file that belongs to no layer may use none.
static Names allowedFor(const std::string& path, const std::string& layer) {
    if (layer == "engine/ops") return allowedForOperator(path);
    const auto row = std::find_if(layers().begin(), layers().end(),
                                  [&](const Layer& entry) { return entry.folder == layer; });
    return row == layers().end() ? Names{} : row->mayUse;
}

static bool isTestOrGenerated(const std::string& target) {
    return target.ends_with(".moc") || target.ends_with("_generated.h");
}

static void checkLayer(const std::string& path, const Include& include, Names& found) {
    const std::string from = layerOf(path), to = layerOf(include.target);
    if (to.empty()) {
        if (include.quoted && !isTestOrGenerated(include.target)) {
            found.push_back("'" + include.target + "' is no path from the root to a layer");
        }
        return;
    }
    const Names allowed = allowedFor(path, from);
    const bool fine = to == from || std::any_of(allowed.begin(), allowed.end(), [&](auto& folder) {
                          return isBelow(include.target, folder);
                      });
    if (!fine) found.push_back(path + " must not use " + to + " ('" + include.target + "')");
}

std::vector<std::string> violations(const std::string& path, const Include& include) {
    Names found;
    checkLayer(path, include, found);
    if (!layerOf(include.target).empty()) return found;
    for (const Library& library : libraries()) {
        if (std::regex_search(include.target, library.header) &&
            !std::regex_search(path, library.home)) {
            found.push_back(library.name + " is not at home here ('" + include.target + "')");
        }
    }
    return found;
}

}  // namespace temper::test
