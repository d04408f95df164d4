// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/box_content.h"

#include <algorithm>

#include "engine/onnx/model_file.h"
#include "ui/messages/problem.h"
#include "ui/tensor_view/attribute_text.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

constexpr int kMaxLines = 8;
constexpr double kMaxWidth = 18;  ///< in lines of text
constexpr double kMinWidth = 6;

QString timesText(const Shape& shape) {
    QString times;
    for (const int64_t dim : shape) {
        if (!times.isEmpty()) times += QStringLiteral(" × ");
        times += QString::number(dim);
    }
    return times;
}

/// The weight's shape, else the kernel's size, else the axis.
QString subtitleOf(const Node& node) {
    for (const Value* input : node.inputs())
        if (input != nullptr && mayBeParameter(*input) && input->constant().rank() > 1)
            return timesText(input->constant().shape());
    if (const auto found = node.attributes().find("kernel_shape"); found != node.attributes().end())
        if (const auto* kernel = std::get_if<std::vector<int64_t>>(&found->second))
            return timesText(*kernel);
    if (const auto axis = node.attributes().find("axis"); axis != node.attributes().end())
        if (const auto* value = std::get_if<int64_t>(&axis->second))
            return tr("axis %1").arg(*value);
    return {};
}

QStringList linesFor(const GraphDocument& document, int index, const GraphFold& fold) {
    QStringList lines;
    const Node& node = document.node(index);
    if (fold.names && !node.name().empty()) lines << text(node.name());
    if (fold.weights)
        for (const Value* weight : document.parametersOf(index))
            lines << QStringLiteral("%1  %2").arg(text(weight->name()),
                                                  timesText(weight->constant().shape()));
    if (fold.attributes)
        for (const auto& [name, value] : node.attributes())
            lines << QStringLiteral("%1 = %2").arg(text(name), attributeText(value));
    if (lines.size() > kMaxLines) {
        const qsizetype more = lines.size() - kMaxLines + 1;
        lines.resize(kMaxLines - 1);
        lines << tr("%n more lines", nullptr, static_cast<int>(more));
    }
    return lines;
}

QString groupSubtitle(const OutlineGroup& group) {
    const QString nodes = tr("%n nodes", nullptr, group.nodeCount);
    const std::string& kind = group.className.empty() ? group.block : group.className;
    if (!kind.empty()) return QStringLiteral("%1 · %2").arg(text(kind), nodes);
    if (group.alike > 1 && group.repeats == 1)
        return tr("%1 · one of %2 alike").arg(nodes).arg(group.alike);
    return nodes;
}

}  // namespace

BoxKind kindOf(OperatorFamily family) {
    switch (family) {
        case OperatorFamily::Convolution:
        case OperatorFamily::Product:
        case OperatorFamily::Recurrent: return BoxKind::Linear;
        case OperatorFamily::Activation: return BoxKind::Activation;
        case OperatorFamily::Normalization:
        case OperatorFamily::Regularization: return BoxKind::Normalization;
        case OperatorFamily::Pooling: return BoxKind::Pooling;
        case OperatorFamily::Arrangement: return BoxKind::Shape;
        case OperatorFamily::Control:
        case OperatorFamily::Other: break;
    }
    return BoxKind::Other;
}

GraphBox nodeBox(const GraphDocument& document, int index, const GraphFold& fold) {
    const Node& node = document.node(index);
    GraphBox box;
    box.kind = kindOf(document.family(index));
    box.title = text(node.opType());
    box.subtitle = subtitleOf(node);
    box.lines = linesFor(document, index, fold);
    box.node = index;
    if (fold.shapeNodes || document.isShapeNode(index)) return box;
    for (const int before : document.shapeNodesBefore(index))
        if (!fold.revealed.contains(before)) ++box.shapeNodes;
    return box;
}

GraphBox groupBox(const GraphDocument& document, int index, const GraphFold& fold) {
    const OutlineGroup& group = document.outline().group(index);
    GraphBox box;
    box.kind = BoxKind::Group;
    box.title = text(group.name);
    box.subtitle = groupSubtitle(group);
    box.className = text(group.className);
    box.group = index;
    box.open = fold.open.contains(index);
    box.repeats = group.repeats;
    box.alike = group.alike;
    box.structure = group.structure;
    return box;
}

GraphBox portBox(BoxKind kind, const Value& value) {
    GraphBox box;
    box.kind = kind;
    box.title = text(value.name());
    if (value.type().isKnown()) box.subtitle = text(formatType(value.type()));
    box.value = &value;
    return box;
}

QString operatorName(const std::string& words) {
    static const QString domain = text(kFaultDomain) + QLatin1Char('.');
    return text(words).remove(domain);
}

QString flowLabel(const std::vector<const Value*>& values) {
    if (values.size() > 1) return tr("%n tensors", nullptr, static_cast<int>(values.size()));
    const ValueType& type = values.front()->type();
    return type.shape ? text(formatShape(*type.shape)) : QString();
}

QSizeF sizeOf(const GraphBox& box, const DrawingMetrics& metrics) {
    const double line = metrics.lineHeight;
    double wide = metrics.titleWidth(box.title);
    if (box.repeats > 1) wide += 2.4 * line;
    wide = std::max(wide, metrics.textWidth(box.subtitle));
    for (const QString& text : box.lines) wide = std::max(wide, metrics.textWidth(text));
    double tall = box.subtitle.isEmpty() ? 1.9 : 2.9;
    if (!box.lines.isEmpty()) tall += 0.3 + static_cast<double>(box.lines.size());
    if (box.shapeNodes > 0) {
        tall += 1.2;
        wide = std::max(wide, 8 * line);
    }
    return {std::clamp(wide + 2.2 * line, kMinWidth * line, kMaxWidth * line), tall * line};
}

double headerHeight(const DrawingMetrics& metrics) { return 1.9 * metrics.lineHeight; }

double headerWidth(const GraphBox& box, const DrawingMetrics& metrics) {
    const double badge = box.repeats > 1 ? 2.4 : 0;
    return std::min(kMaxWidth * metrics.lineHeight,
                    metrics.titleWidth(box.title) + (3.5 + badge) * metrics.lineHeight);
}

BoxLines linesOf(const GraphBox& box, const DrawingMetrics& metrics) {
    const double line = metrics.lineHeight;
    const QRectF inside = box.rect.adjusted(0.6 * line, 0, -0.6 * line, 0);
    const auto row = [&](double top, double height) {
        return QRectF(inside.left(), box.rect.top() + top * line, inside.width(), height * line);
    };
    BoxLines lines;
    if (box.open) {
        lines.title = row(0.35, 1.2);
        return lines;
    }
    lines.title = row(0.35, 1.1);
    double top = 1.9;
    if (!box.subtitle.isEmpty()) {
        lines.subtitle = row(1.4, 1.1);
        top = 2.9;
    } else if (box.lines.isEmpty() && box.shapeNodes == 0) {
        lines.title = inside;
    }
    for (qsizetype i = 0; i < box.lines.size(); ++i)
        lines.lines.push_back(row(top - 0.25 + static_cast<double>(i), 1));
    if (!box.lines.isEmpty()) top += 0.3 + static_cast<double>(box.lines.size());
    if (box.shapeNodes > 0) lines.badge = row(top - 0.15, 1.05);
    return lines;
}

}  // namespace temper::ui
