// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/plugins/plugin.h"

namespace temper {

/// A plugin that was found, or a folder that can't be searched, and the outcome.
struct PluginReport {
    std::filesystem::path file;
    bool isFolder = false;
    std::string name;  ///< as it calls itself; empty if it is not loaded
    std::string version;
    std::string summary;
    std::vector<std::string> provides;  ///< "operator com.example.Swish", "data format libsvm", ...
    std::vector<TemperPanel> panels;    ///< for the studio
    std::string problem;                ///< why it is not loaded; empty if it is
    std::string hint;                   ///< what to do about it

    bool isLoaded() const { return problem.empty(); }
};

/// The folders to search for plugins, in this order: those of the environment variable
/// TEMPER_PLUGIN_PATH (separated by ':'), the user's folder ($XDG_DATA_HOME/temper/plugins, else
/// ~/.local/share/temper/plugins), and `lib/temper/plugins` beside the program's folder. None if
/// TEMPER_NO_PLUGINS is set.
std::vector<std::filesystem::path> pluginFolders();

/// The same, and after each folder its `studio`, which contains the libraries that need Qt.
std::vector<std::filesystem::path> studioPluginFolders();

/// Loads every shared library (*.so) of the folders, by name within each. One that can't be loaded,
/// was made for another version of the interface, crashes or hangs while it is loaded, or adds what
/// already exists, is refused and reported; the others are loaded. Each is tried in a separate
/// process first. Missing folders are skipped; those that can't be read, or whose path is relative,
/// are refused: no plugin is loaded from the folder of a model or a project unintentionally. Call
/// it once, before operators, formats and so on are used. Thread: before others are started.
std::vector<PluginReport> loadPlugins(const std::vector<std::filesystem::path>& folders);

}  // namespace temper
