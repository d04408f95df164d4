// SPDX-License-Identifier: Apache-2.0
#include "engine/plugins/plugin_loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "engine/core/error.h"
#include "engine/plugins/plugin_handles.h"
#include "engine/plugins/plugin_registry.h"
#include "engine/plugins/plugin_trial.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

/// Opens the library and finds what it exports. It stays open.
const TemperPlugin& open(const fs::path& file) {
    std::error_code failure;
    if (!fs::is_regular_file(file, failure)) {
        throw Error(ErrorCode::NotFound, "It is not a file, or a broken link.",
                    "Remove it from the plugin folder.");
    }
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        throw Error(ErrorCode::InvalidInput,
                    std::string("It can't be loaded as a shared library: ") + dlerror() + ".",
                    "Build it for this machine, and install the libraries that it needs.");
    }
    const auto* plugin = static_cast<const TemperPlugin*>(dlsym(handle, "temper_plugin"));
    if (plugin == nullptr) {
        throw Error(ErrorCode::InvalidInput,
                    "It does not export 'temper_plugin', so it is not a Temper plugin.",
                    "Remove it from the plugin folder.");
    }
    if (plugin->abi != TEMPER_PLUGIN_ABI) {
        throw Error(ErrorCode::Unsupported,
                    "It was built for version " + std::to_string(plugin->abi) +
                        " of the plugin interface; this Temper has version " +
                        std::to_string(TEMPER_PLUGIN_ABI) + ".",
                    "Get a build of the plugin for this version of Temper.");
    }
    if (plugin->load == nullptr || textOf(plugin->name).empty())
        throw Error(ErrorCode::InvalidInput, "It has no name or no load function.");
    return *plugin;
}

/// What it adds, checked against what exists.
TemperRegistry load(const TemperPlugin& plugin) {
    TemperRegistry registry;
    TemperError error;
    if (plugin.load(&pluginHost(), &registry, &error) != 0) {
        throw Error(
            ErrorCode::InvalidInput,
            error.message.empty() ? "It refused to load without giving a reason." : error.message,
            error.hint);
    }
    requireNew(registry);
    return registry;
}

using Names = std::set<std::string>;

std::pair<const TemperPlugin*, TemperRegistry> openAndLoad(const fs::path& file,
                                                           const Names& loaded) {
    const TemperPlugin& plugin = open(file);
    if (loaded.contains(plugin.name)) {
        throw Error(ErrorCode::InvalidInput,
                    "A plugin named '" + textOf(plugin.name) + "' is already loaded.",
                    "Keep one of the two files.");
    }
    return {&plugin, load(plugin)};
}

/// Loads into this process only if that succeeded in another one.
void loadTried(PluginReport& report, Names& loaded) {
    Trial trial = tryInProcess([&] { openAndLoad(report.file, loaded); });
    if (!trial.problem.empty()) {
        report.problem = std::move(trial.problem);
        report.hint = std::move(trial.hint);
        return;
    }
    const auto [plugin, registry] = openAndLoad(report.file, loaded);
    addAll(registry);
    loaded.insert(plugin->name);
    report.name = plugin->name;
    report.version = textOf(plugin->version);
    report.summary = textOf(plugin->summary);
    report.provides = describe(registry);
    report.panels = registry.panels;
}

PluginReport loadOne(const fs::path& file, Names& loaded) {
    PluginReport report;
    report.file = file;
    try {
        loadTried(report, loaded);
    } catch (const Error& error) {
        report.problem = error.what();
        report.hint = error.hint();
    } catch (const std::exception& error) {
        report.problem = std::string("It threw an exception: ") + error.what() + ".";
    }
    return report;
}

PluginReport refusedFolder(const fs::path& folder, std::string problem, std::string hint) {
    PluginReport report;
    report.file = folder;
    report.isFolder = true;
    report.problem = std::move(problem);
    report.hint = std::move(hint);
    return report;
}

/// The libraries of a folder, by name. `failure` is that of reading it; none if it does not exist.
std::vector<fs::path> librariesIn(const fs::path& folder, std::error_code& failure) {
    std::vector<fs::path> files;
    fs::directory_iterator entry(folder, failure);
    if (failure == std::errc::no_such_file_or_directory) failure.clear();
    for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        std::error_code ignored;
        if (entry->path().extension() == ".so" && !entry->is_directory(ignored))
            files.push_back(entry->path());
    }
    std::ranges::sort(files);
    return files;
}

std::vector<PluginReport> loadFolder(const fs::path& folder, Names& loaded) {
    if (!folder.is_absolute()) {
        return {refusedFolder(folder, "Its path is relative, so it depends on the current folder.",
                              "Use an absolute path.")};
    }
    std::vector<PluginReport> reports;
    std::error_code failure;
    for (const fs::path& file : librariesIn(folder, failure))
        reports.push_back(loadOne(file, loaded));
    if (failure) {
        reports.push_back(refusedFolder(folder, "It can't be read: " + failure.message() + ".",
                                        "Choose a readable folder."));
    }
    return reports;
}

std::string variable(const char* name) { return textOf(std::getenv(name)); }

fs::path userFolder() {
    const fs::path data = variable("XDG_DATA_HOME");
    if (data.is_absolute()) return data / "temper/plugins";
    const fs::path home = variable("HOME");
    return home.is_absolute() ? home / ".local/share/temper/plugins" : fs::path();
}

fs::path programsFolder() {
    std::error_code failure;
    const fs::path program = fs::read_symlink("/proc/self/exe", failure);
    return failure ? fs::path() : program.parent_path().parent_path() / "lib/temper/plugins";
}

}  // namespace

std::vector<fs::path> pluginFolders() {
    if (!variable("TEMPER_NO_PLUGINS").empty()) return {};
    std::vector<fs::path> all;
    std::istringstream list(variable("TEMPER_PLUGIN_PATH"));
    for (std::string folder; std::getline(list, folder, ':');) all.emplace_back(folder);
    all.push_back(userFolder());
    all.push_back(programsFolder());

    std::vector<fs::path> folders;
    for (const fs::path& folder : all) {
        fs::path plain = folder.lexically_normal();
        if (!plain.has_filename()) plain = plain.parent_path();  // ends with '/'
        if (!plain.empty() && std::ranges::find(folders, plain) == folders.end())
            folders.push_back(plain);
    }
    return folders;
}

std::vector<fs::path> studioPluginFolders() {
    std::vector<fs::path> folders;
    for (const fs::path& folder : pluginFolders()) {
        folders.push_back(folder);
        if (folder.is_absolute()) folders.push_back(folder / "studio");
    }
    return folders;
}

std::vector<PluginReport> loadPlugins(const std::vector<fs::path>& folders) {
    std::vector<PluginReport> reports;
    Names loaded;
    for (const fs::path& folder : folders) {
        std::vector<PluginReport> found = loadFolder(folder, loaded);
        std::ranges::move(found, std::back_inserter(reports));
    }
    return reports;
}

}  // namespace temper
