// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/plugin_notice.h"

#include <QStringList>

#include "ui/docks/log/log_model.h"
#include "ui/messages/hint_text.h"
#include "ui/translation/tr.h"
#include "ui/window/messages.h"

namespace temper::ui {
namespace {

QString whatItAdds(const PluginReport& plugin) {
    QStringList provides;
    for (const std::string& thing : plugin.provides) provides << text(thing);
    return tr("Plugin %1 %2 is loaded: %3")
        .arg(text(plugin.name), text(plugin.version), provides.join(QStringLiteral(", ")));
}

Problem problemOf(const PluginReport& plugin) {
    const QString path = text(plugin.file.string());
    const QString title = plugin.isFolder ? tr("The plugin folder %1 is not searched").arg(path)
                                          : tr("The plugin %1 is not loaded").arg(path);
    return {title, text(plugin.problem), hintText(plugin.hint)};
}

/// Their names; only the first ones if there are many.
QString namesOf(const std::vector<PluginReport>& plugins) {
    constexpr size_t kMax = 5;
    QStringList names;
    for (size_t i = 0; i < plugins.size() && i < kMax; ++i)
        names << text(plugins[i].file.filename().string());
    if (plugins.size() > kMax) names << QStringLiteral("…");
    return names.join(QStringLiteral(", "));
}

void announceRefused(Messages& messages, LogModel& log, const std::vector<PluginReport>& plugins) {
    if (plugins.size() == 1) return messages.report(problemOf(plugins.front()));
    for (const PluginReport& plugin : plugins) {
        const Problem problem = problemOf(plugin);
        log.add(Severity::Error, tr("%1: %2").arg(problem.title, problem.message));
    }
    messages.report({tr("%Ln plugins are not loaded", nullptr, static_cast<int>(plugins.size())),
                     namesOf(plugins), tr("The log says why.")});
}

}  // namespace

void announcePlugins(Messages& messages, LogModel& log, const std::vector<PluginReport>& plugins) {
    std::vector<PluginReport> refused;
    for (const PluginReport& plugin : plugins) {
        if (plugin.isLoaded()) {
            log.add(Severity::Info, whatItAdds(plugin));
        } else {
            refused.push_back(plugin);
        }
    }
    if (!refused.empty()) announceRefused(messages, log, refused);
}

}  // namespace temper::ui
