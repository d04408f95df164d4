// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/attribute_text.h"

#include <QStringList>
#include <algorithm>

#include "engine/ir/graph.h"
#include "ui/messages/problem.h"
#include "ui/tensor_view/tensor_summary.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

constexpr size_t kShownItems = 16;

template <typename T>
QString listText(const std::vector<T>& values) {
    QStringList parts;
    for (size_t i = 0; i < std::min(values.size(), kShownItems); ++i) {
        if constexpr (std::is_same_v<T, std::string>) {
            parts << text(values[i]);
        } else {
            parts << QString::number(values[i]);
        }
    }
    if (values.size() > kShownItems) parts << QStringLiteral("…");
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

}  // namespace

QString attributeText(const Attribute& attribute) {
    return std::visit(
        []<typename T>(const T& value) -> QString {
            if constexpr (std::is_same_v<T, std::string>) {
                return text(value);
            } else if constexpr (std::is_same_v<T, Tensor>) {
                return text(dtypeName(value.dtype())) + text(formatShape(value.shape())) + ' ' +
                       firstValues(value, kShownItems);
            } else if constexpr (std::is_same_v<T, std::shared_ptr<const Graph>>) {
                return tr("graph of %n nodes", nullptr, static_cast<int>(value->nodeCount()));
            } else if constexpr (std::is_same_v<T, ValueType>) {
                return text(formatType(value));
            } else if constexpr (std::is_arithmetic_v<T>) {
                return QString::number(value);
            } else {
                return listText(value);
            }
        },
        attribute);
}

}  // namespace temper::ui
