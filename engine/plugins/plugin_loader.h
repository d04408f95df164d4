// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/plugins/plugin.h"

namespace temper {

/// A plugin that was found, or a folder that can't be searched, and what became of it.
struct PluginReport {
    std::filesystem::path file;
    bool isFolder = false;
    std::string name;  ///< as it calls itself; empty where it is not loaded
    std::string version;
    std::string summary;
    std::vector<std::string> provides;  ///< "operator com.example.Swish", "data format libsvm", ...
    std::vector<TemperPanel> panels;    ///< for the studio
    std::string problem;                ///< why it is not loaded; empty where it is
    std::string hint;                   ///< what to do about it

    bool isLoaded() const { return problem.empty(); }
};

/// Where plugins are looked for, in this order: the folders of the environment variable
/// TEMPER_PLUGIN_PATH (separated by ':'), the user's folder ($XDG_DATA_HOME/temper/plugins, else
/// ~/.local/share/temper/plugins), and `lib/temper/plugins` beside the program's folder. None where
/// TEMPER_NO_PLUGINS is set.
std::vector<std::filesystem::path> pluginFolders();

/// The same, and with each folder its `studio`: there are the libraries that need Qt.
std::vector<std::filesystem::path> studioPluginFolders();

/// Loads every shared library (*.so) of the folders, by name within each. One that can't be loaded,
/// was made for another version of the interface, crashes or hangs while it is loaded, or brings
/// what is there already, is refused and reported; the others are loaded. Each is tried in a
/// process of its own before. Folders that are not there are left out; those that can't be read, or
/// whose path is relative, are refused: no plugin comes from the folder of a model or a project by
/// itself. To be called once, before operators, formats and so on are used. Thread: before others
/// are started.
std::vector<PluginReport> loadPlugins(const std::vector<std::filesystem::path>& folders);

}  // namespace temper
