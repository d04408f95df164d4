// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/fuzz/short_loops.h"

#include "engine/onnx/proto.h"

namespace temper::test {
namespace {

constexpr const char* kMaxTrips = "most_trips_of_a_trial";

void addMostTrips(onnx::GraphProto& graph) {
    onnx::TensorProto& most = *graph.add_initializer();
    most.set_name(kMaxTrips);
    most.set_data_type(onnx::TensorProto::INT64);
    most.add_int64_data(200);
}

/// The lesser of the requested trips and the limit.
void shorten(onnx::NodeProto& loop, onnx::NodeProto& fewer, int number) {
    fewer.set_op_type("Min");
    fewer.add_input(loop.input(0));
    fewer.add_input(kMaxTrips);
    fewer.add_output("trips_of_a_trial_" + std::to_string(number));
    loop.set_input(0, fewer.output(0));
}

/// Returns: the number of Loops.
int shortenAll(onnx::GraphProto& graph, int number) {
    for (int i = 0; i < graph.node_size(); ++i) {
        for (auto& attribute : *graph.mutable_node(i)->mutable_attribute()) {
            if (attribute.has_g()) number = shortenAll(*attribute.mutable_g(), number);
        }
        onnx::NodeProto& node = *graph.mutable_node(i);
        if (node.op_type() != "Loop" || node.input_size() == 0) continue;
        if (node.input(0).empty()) {
            node.set_input(0, kMaxTrips);
            ++number;
            continue;
        }
        onnx::NodeProto fewer;
        shorten(node, fewer, number++);
        *graph.add_node() = std::move(fewer);
        for (int k = graph.node_size() - 1; k > i; --k) {
            graph.mutable_node()->SwapElements(k, k - 1);
        }
        ++i;  // the Loop has moved
    }
    return number;
}

}  // namespace

std::string withShortLoops(std::string model) {
    onnx::ModelProto proto;
    if (model.find("Loop") == std::string::npos || !proto.ParseFromString(model)) return model;
    if (shortenAll(*proto.mutable_graph(), 0) == 0) return model;
    addMostTrips(*proto.mutable_graph());
    return proto.SerializeAsString();
}

}  // namespace temper::test
