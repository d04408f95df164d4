// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_drawing.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ui/project/problem.h"

namespace temper::ui {
namespace {

BoxKind kindOf(const std::string& op) {
    static const std::map<std::string, BoxKind, std::less<>> kinds{
        {"Conv", BoxKind::Linear},
        {"ConvTranspose", BoxKind::Linear},
        {"Gemm", BoxKind::Linear},
        {"MatMul", BoxKind::Linear},
        {"LSTM", BoxKind::Linear},
        {"GRU", BoxKind::Linear},
        {"Relu", BoxKind::Activation},
        {"LeakyRelu", BoxKind::Activation},
        {"Sigmoid", BoxKind::Activation},
        {"HardSigmoid", BoxKind::Activation},
        {"Tanh", BoxKind::Activation},
        {"Softmax", BoxKind::Activation},
        {"LogSoftmax", BoxKind::Activation},
        {"Gelu", BoxKind::Activation},
        {"Erf", BoxKind::Activation},
        {"Clip", BoxKind::Activation},
        {"Elu", BoxKind::Activation},
        {"HardSwish", BoxKind::Activation},
        {"BatchNormalization", BoxKind::Normalization},
        {"LayerNormalization", BoxKind::Normalization},
        {"InstanceNormalization", BoxKind::Normalization},
        {"GroupNormalization", BoxKind::Normalization},
        {"Dropout", BoxKind::Normalization},
        {"MaxPool", BoxKind::Pooling},
        {"AveragePool", BoxKind::Pooling},
        {"GlobalAveragePool", BoxKind::Pooling},
        {"GlobalMaxPool", BoxKind::Pooling},
        {"ReduceMean", BoxKind::Pooling},
        {"ReduceSum", BoxKind::Pooling},
        {"Reshape", BoxKind::Shape},
        {"Flatten", BoxKind::Shape},
        {"Transpose", BoxKind::Shape},
        {"Squeeze", BoxKind::Shape},
        {"Unsqueeze", BoxKind::Shape},
        {"Concat", BoxKind::Shape},
        {"Slice", BoxKind::Shape},
        {"Split", BoxKind::Shape},
        {"Gather", BoxKind::Shape},
        {"Shape", BoxKind::Shape},
        {"Pad", BoxKind::Shape},
        {"Cast", BoxKind::Shape},
    };
    const auto found = kinds.find(op);
    return found == kinds.end() ? BoxKind::Other : found->second;
}

QString timesText(const Shape& shape) {
    QStringList parts;
    for (const int64_t dim : shape) parts << QString::number(dim);
    return parts.join(QStringLiteral(" × "));
}

QString shapeLabel(const ValueType& type) {
    return type.shape ? text(formatShape(*type.shape)) : QString();
}

/// The weight's shape, else the kernel's size, else the axis.
QString subtitleOf(const Node& node) {
    for (const Value* input : node.inputs())
        if (input != nullptr && input->isInitializer() && !input->isLiteral() &&
            input->constant().rank() > 1)
            return timesText(input->constant().shape());
    const auto kernel = node.attribute<std::vector<int64_t>>("kernel_shape", {});
    if (!kernel.empty()) return timesText(kernel);
    if (const auto axis = node.attributes().find("axis"); axis != node.attributes().end())
        if (const auto* value = std::get_if<int64_t>(&axis->second))
            return QCoreApplication::translate("GraphDrawing", "axis %1").arg(*value);
    return {};
}

class Drawer {
public:
    Drawer(const Graph& graph, const DrawingMetrics& metrics) : graph_(graph), metrics_(metrics) {}

    std::shared_ptr<const GraphDrawing> run(std::stop_token stop) {
        addInputs();
        addNodes();
        addOutputs();
        addEdges();
        place(std::move(stop));
        return std::make_shared<const GraphDrawing>(std::move(drawing_));
    }

private:
    void addInputs() {
        for (const Value* input : graph_.inputs()) {
            makers_[input] = addBox(
                {BoxKind::Input, text(input->name()), text(formatType(input->type())), {}, {}, {}});
        }
    }

    void addNodes() {
        for (const Node* node : graph_.nodes()) {
            GraphBox box{kindOf(node->opType()),
                         text(node->opType()),
                         subtitleOf(*node),
                         node->name(),
                         {},
                         {}};
            for (const Value* input : node->inputs())
                if (input != nullptr && input->isInitializer() && !input->isLiteral())
                    box.parameters.push_back(input->name());
            const int index = addBox(std::move(box));
            for (const Value* output : node->outputs())
                if (output != nullptr) makers_[output] = index;
        }
    }

    void addOutputs() {
        for (const Value* output : graph_.outputs()) {
            const int box = addBox({BoxKind::Output,
                                    text(output->name()),
                                    text(formatType(output->type())),
                                    {},
                                    {},
                                    {}});
            addEdge(output, box);
        }
    }

    void addEdges() {
        int box = static_cast<int>(graph_.inputs().size());
        for (const Node* node : graph_.nodes()) {
            std::set<const Value*> seen;
            for (const Value* input : node->inputs())
                if (input != nullptr && seen.insert(input).second) addEdge(input, box);
            for (const Value* captured : graph_.capturedBy(*node))
                if (seen.insert(captured).second) addEdge(captured, box);
            ++box;
        }
    }

    void addEdge(const Value* value, int to) {
        const auto from = makers_.find(value);
        if (from == makers_.end()) return;
        drawing_.edges.push_back({from->second, to, {}, shapeLabel(value->type())});
    }

    int addBox(GraphBox box) {
        drawing_.boxes.push_back(std::move(box));
        return static_cast<int>(drawing_.boxes.size()) - 1;
    }

    QSizeF sizeOf(const GraphBox& box) const {
        const double title = static_cast<double>(box.title.size()) * metrics_.titleCharacter;
        const double subtitle =
            static_cast<double>(box.subtitle.size()) * metrics_.subtitleCharacter;
        const double width = std::clamp(std::max(title, subtitle) + 2.2 * metrics_.lineHeight,
                                        6 * metrics_.lineHeight, 18 * metrics_.lineHeight);
        return {width, metrics_.lineHeight * (box.subtitle.isEmpty() ? 1.9 : 2.9)};
    }

    void place(std::stop_token stop) {
        LayoutInput input;
        input.layerGap = 2.4 * metrics_.lineHeight;
        input.boxGap = 1.5 * metrics_.lineHeight;
        for (const GraphBox& box : drawing_.boxes) input.sizes.push_back(sizeOf(box));
        for (const GraphEdge& edge : drawing_.edges) input.edges.emplace_back(edge.from, edge.to);
        const LayoutResult result = layoutLayers(input, std::move(stop));
        for (size_t i = 0; i < drawing_.boxes.size(); ++i) drawing_.boxes[i].rect = result.boxes[i];
        for (size_t i = 0; i < drawing_.edges.size(); ++i)
            drawing_.edges[i].points = result.edges[i];
        drawing_.bounds = result.bounds;
    }

    const Graph& graph_;
    DrawingMetrics metrics_;
    GraphDrawing drawing_;
    std::unordered_map<const Value*, int> makers_;
};

}  // namespace

std::shared_ptr<const GraphDrawing> drawGraph(const Graph& graph, const DrawingMetrics& metrics,
                                              std::stop_token stop) {
    return Drawer(graph, metrics).run(std::move(stop));
}

}  // namespace temper::ui
