// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <mutex>

#include "engine/plugins/plugin_loader.h"
#include "python/src/bindings.h"

namespace temper::python {
namespace {

/// Loads the plugins of the folders. One that an earlier call has loaded is reported as it was
/// then.
std::vector<PluginReport> load(const std::vector<std::filesystem::path>& folders) {
    static std::mutex mutex;
    static std::map<std::filesystem::path, PluginReport> loaded;
    const std::lock_guard lock(mutex);
    std::vector<PluginReport> reports = loadPlugins(folders);
    for (PluginReport& report : reports) {
        const auto earlier = loaded.find(report.file);
        if (report.isLoaded())
            loaded.insert_or_assign(report.file, report);
        else if (earlier != loaded.end())
            report = earlier->second;
    }
    renewSharedOps();
    return reports;
}

}  // namespace

void bindPlugins(nb::module_& module) {
    nb::class_<PluginReport>(module, "PluginReport", "A plugin that was found, and the outcome.")
        .def_prop_ro("file", [](const PluginReport& self) { return self.file.string(); })
        .def_ro("is_folder", &PluginReport::isFolder)
        .def_ro("name", &PluginReport::name)
        .def_ro("version", &PluginReport::version)
        .def_ro("summary", &PluginReport::summary)
        .def_ro("provides", &PluginReport::provides)
        .def_ro("problem", &PluginReport::problem)
        .def_ro("hint", &PluginReport::hint);
    // Other threads of Python start nothing in the meantime.
    module.def("load_plugins", &load, nb::arg("folders"),
               nb::sig("def load_plugins(folders: list[str]) -> list[PluginReport]"));
    module.def("plugin_folders", [] {
        std::vector<std::string> folders;
        for (const auto& folder : pluginFolders()) folders.push_back(folder.string());
        return folders;
    });
}

}  // namespace temper::python
