// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/plugin_docks.h"

#include <QLabel>
#include <QVBoxLayout>

#include "ui/run/run_model.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

/// The widget of a plugin, which receives the run's events as long as it exists.
QWidget* createPanel(const TemperPanel& panel, RunModel& run, QWidget* parent) {
    auto* frame = new QWidget(parent);
    auto* layout = new QVBoxLayout(frame);
    layout->setContentsMargins({});
    auto* made = static_cast<QWidget*>(panel.create(frame));
    if (made == nullptr) {
        layout->addWidget(new QLabel(tr("The plugin returned nothing to show."), frame));
        return frame;
    }
    layout->addWidget(made);
    if (panel.event == nullptr) return frame;
    QObject::connect(&run, &RunModel::received, made, [panel, made](const RunEvent& event) {
        panel.event(made, toJsonLine(event).c_str());
    });
    return frame;
}

DockInfo dockOf(const PluginReport& plugin, const TemperPanel& panel) {
    DockInfo dock;
    dock.id = QStringLiteral("plugin-%1-%2").arg(text(plugin.name), QString(panel.key));
    dock.title = QString::fromUtf8(panel.title);
    dock.icon = QStringLiteral("info");
    dock.area = Qt::RightDockWidgetArea;
    dock.create = [panel](const PanelContext& context, QWidget* parent) {
        return createPanel(panel, context.run, parent);
    };
    return dock;
}

}  // namespace

std::vector<DockInfo> pluginDocks(const std::vector<PluginReport>& plugins) {
    std::vector<DockInfo> docks;
    for (const PluginReport& plugin : plugins) {
        for (const TemperPanel& panel : plugin.panels) docks.push_back(dockOf(plugin, panel));
    }
    return docks;
}

}  // namespace temper::ui
