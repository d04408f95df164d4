// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <ostream>

#include "app/cli/commands.h"
#include "engine/plugins/plugin_loader.h"

namespace temper::cli {
namespace {

Json pluginJson(const PluginReport& plugin) {
    Json json{{"file", plugin.file.string()}, {"loaded", plugin.isLoaded()}};
    if (plugin.isLoaded()) {
        json["name"] = plugin.name;
        json["version"] = plugin.version;
        json["summary"] = plugin.summary;
        json["provides"] = plugin.provides;
    } else {
        json["problem"] = plugin.problem;
        json["hint"] = plugin.hint;
    }
    return json;
}

void printPluginsJson(CliContext& context) {
    Json folders = Json::array();
    for (const auto& folder : pluginFolders()) folders.push_back(folder.string());
    Json plugins = Json::array();
    for (const PluginReport& plugin : context.plugins) plugins.push_back(pluginJson(plugin));
    printJson(context, {{"folders", folders}, {"plugins", plugins}});
}

void printPlugin(CliContext& context, const PluginReport& plugin) {
    context.out << plugin.name << ' ' << plugin.version << "  " << plugin.file.string() << '\n';
    if (!plugin.summary.empty()) context.out << "  " << plugin.summary << '\n';
    for (const std::string& thing : plugin.provides) context.out << "  " << thing << '\n';
}

void printFolders(CliContext& context) {
    const auto folders = pluginFolders();
    if (folders.empty()) {
        context.out << "No plugins are loaded, because TEMPER_NO_PLUGINS is set.\n";
        return;
    }
    context.out << "No plugins found. These folders were searched:\n";
    for (const auto& folder : folders) {
        std::error_code ignored;
        const bool isThere = std::filesystem::exists(folder, ignored);
        context.out << "  " << folder.string() << (isThere ? "" : " (missing)") << '\n';
    }
}

/// Each command warns of rejected plugins (main.cpp).
void printPlugins(CliContext& context) {
    bool any = false;
    for (const PluginReport& plugin : context.plugins) {
        if (!plugin.isLoaded()) continue;
        printPlugin(context, plugin);
        any = true;
    }
    if (!any) printFolders(context);
}

constexpr const char* kFolders = R"(Plugins are the .so files of these folders:
  those of TEMPER_PLUGIN_PATH (absolute paths, separated by ':')
  $XDG_DATA_HOME/temper/plugins, else ~/.local/share/temper/plugins
  lib/temper/plugins beside the folder of the program
TEMPER_NO_PLUGINS=1 disables all of them.)";

}  // namespace

void addPluginsCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("plugins", "List the plugins and what they add");
    const auto asJson = std::make_shared<bool>(false);
    command->add_flag("--json", *asJson, "Print one JSON document");
    command->footer(kFolders);
    command->callback([asJson, &context] {
        if (*asJson) {
            printPluginsJson(context);
        } else {
            printPlugins(context);
        }
    });
}

}  // namespace temper::cli
