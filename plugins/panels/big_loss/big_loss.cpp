// SPDX-License-Identifier: Apache-2.0
// A panel of the studio: the loss of the last step, readable from the back of the room.

#include <temper/plugin.h>

#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLocale>

namespace {

void* create(void* parent) {
    auto* label = new QLabel(QStringLiteral("–"), static_cast<QWidget*>(parent));
    label->setObjectName(QStringLiteral("bigLoss"));
    label->setAccessibleName(QStringLiteral("Loss"));
    label->setAlignment(Qt::AlignCenter);
    QFont font = label->font();
    font.setPointSizeF(4 * font.pointSizeF());
    label->setFont(font);
    return label;
}

void event(void* widget, const char* json) {
    const QJsonObject fact = QJsonDocument::fromJson(json).object();
    if (fact["event"].toString() != QStringLiteral("step")) return;
    static_cast<QLabel*>(widget)->setText(QLocale().toString(fact["loss"].toDouble(), 'f', 3));
}

int load(const TemperHost* host, TemperRegistry* registry, TemperError* error) {
    TemperPanel panel{};
    panel.size = sizeof panel;
    panel.key = "big-loss";
    panel.title = "Loss, large";
    panel.create = create;
    panel.event = event;
    return host->add_panel(registry, &panel, error);
}

}  // namespace

extern "C" const TemperPlugin temper_plugin = {
    TEMPER_PLUGIN_ABI, "big_loss", "1.0", "The loss of the last step, in large figures.", load};
