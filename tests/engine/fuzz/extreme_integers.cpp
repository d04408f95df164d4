// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/fuzz/extreme_integers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "engine/onnx/proto.h"

namespace temper::test {
namespace {

using Limits = std::numeric_limits<int64_t>;
constexpr std::array<int64_t, 6> kExtremes = {Limits::max(),    Limits::min(),   -1, 0,
                                              int64_t{1} << 31, int64_t{1} << 62};

constexpr int kMaxConstants = 16;
constexpr int kFirst = 4;

/// The numbers of a constant, in whichever field they are; only int32 and int64.
class ConstantNumbers {
public:
    explicit ConstantNumbers(onnx::TensorProto& tensor) : tensor_(tensor) {}

    int count() const {
        if (!isWide() && tensor_.data_type() != onnx::TensorProto::INT32) return 0;
        int64_t count = 1;
        for (const int64_t dim : tensor_.dims()) {
            if (dim < 0 || dim > kMaxConstants) return 0;
            count *= dim;
            if (count > kMaxConstants) return 0;
        }
        return static_cast<int>(count);
    }

    void set(int at, int64_t number) {
        const auto narrow = static_cast<int32_t>(std::clamp<int64_t>(
            number, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
        if (tensor_.has_raw_data()) {
            std::string bytes = tensor_.raw_data();
            const size_t size = isWide() ? sizeof number : sizeof narrow;
            const void* from = isWide() ? static_cast<const void*>(&number) : &narrow;
            std::memcpy(bytes.data() + static_cast<size_t>(at) * size, from, size);
            tensor_.set_raw_data(bytes);
        } else if (isWide()) {
            tensor_.set_int64_data(at, number);
        } else {
            tensor_.set_int32_data(at, narrow);
        }
    }

private:
    bool isWide() const { return tensor_.data_type() == onnx::TensorProto::INT64; }

    onnx::TensorProto& tensor_;
};

/// "Conv.pads", "Slice input 2".
std::string placeOf(const onnx::NodeProto& node, const std::string& name) {
    return node.domain() + (node.domain().empty() ? "" : ".") + node.op_type() + name;
}

class Replacement {
public:
    Replacement(const OperatorModel& source, SeenPlaces& seen, int most,
                const std::function<void(const std::string&, const std::string&)>& f)
        : source_(source), seen_(seen), most_(most), f_(f) {
        model_.ParseFromString(source.bytes);
    }

    void run() {
        for (auto& node : *model_.mutable_graph()->mutable_node()) {
            for (auto& attribute : *node.mutable_attribute()) changeAttribute(node, attribute);
            for (int i = 0; i < node.input_size(); ++i) changeConstant(node, i);
        }
    }

private:
    bool isNew(const std::string& place) { return seen_[place]++ < most_; }

    void changeAttribute(const onnx::NodeProto& node, onnx::AttributeProto& attribute) {
        const std::string place = placeOf(node, "." + attribute.name());
        if (attribute.has_i() && isNew(place)) {
            const int64_t before = attribute.i();
            for (const int64_t number : kExtremes) {
                attribute.set_i(number);
                report(place, number);
            }
            attribute.set_i(before);
        }
        if (attribute.ints_size() == 0 || !isNew(place)) return;
        for (int at = 0; at < std::min(attribute.ints_size(), kFirst); ++at) {
            const int64_t before = attribute.ints(at);
            for (const int64_t number : kExtremes) {
                attribute.set_ints(at, number);
                report(place + "[" + std::to_string(at) + "]", number);
            }
            attribute.set_ints(at, before);
        }
    }

    void changeConstant(const onnx::NodeProto& node, int input) {
        for (auto& tensor : *model_.mutable_graph()->mutable_initializer()) {
            if (tensor.name() != node.input(input)) continue;
            const std::string place = placeOf(node, " input " + std::to_string(input));
            const int count = std::min(ConstantNumbers(tensor).count(), kFirst);
            if (count == 0 || !isNew(place)) return;
            const onnx::TensorProto before = tensor;
            for (int at = 0; at < count; ++at) {
                for (const int64_t number : kExtremes) {
                    ConstantNumbers(tensor).set(at, number);
                    report(place + "[" + std::to_string(at) + "]", number);
                }
                tensor = before;
            }
            return;
        }
    }

    void report(const std::string& place, int64_t number) {
        f_(source_.name + ": " + place + " = " + std::to_string(number),
           model_.SerializeAsString());
    }

    const OperatorModel& source_;
    SeenPlaces& seen_;
    const int most_;
    const std::function<void(const std::string&, const std::string&)>& f_;
    onnx::ModelProto model_;
};

}  // namespace

void forExtremeIntegers(const OperatorModel& model, SeenPlaces& seen, int most,
                        const std::function<void(const std::string&, const std::string&)>& f) {
    Replacement(model, seen, most, f).run();
}

}  // namespace temper::test
