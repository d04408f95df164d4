// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/names_in_module.h"

#include <QStringList>
#include <algorithm>
#include <map>

#include "ui/document/loaded_model.h"
#include "ui/messages/problem.h"

namespace temper::ui {

ModuleNames namesInModule(const CheckpointFile& checkpoint, const LoadedModel* model) {
    if (model == nullptr) return {};
    std::map<std::string, Shape> shapes;
    for (const ParameterInfo& info : model->parameters) shapes[info.name] = info.shape;
    const bool isOfModel =
        std::ranges::all_of(checkpoint.trainable, [&shapes](const NamedTensor& tensor) {
            const auto found = shapes.find(tensor.name);
            return found != shapes.end() && found->second == tensor.data.shape();
        });
    return isOfModel ? moduleNamesOf(model->parameters) : ModuleNames();
}

QString nameInModule(const ModuleNames& names, const std::string& tensor) {
    QStringList others;
    for (const std::string& name : moduleNamesOf(names, tensor)) others << text(name);
    if (others.isEmpty()) return text(tensor);
    return QStringLiteral("%1 (%2)").arg(others.join(QStringLiteral(", ")), text(tensor));
}

}  // namespace temper::ui
