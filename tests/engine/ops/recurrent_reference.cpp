// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/ops/recurrent_reference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace temper::test {
namespace {

using Numbers = std::vector<double>;
using Function = std::function<double(double)>;

std::string quoted(const std::string& name) { return name.empty() ? "\"\"" : name; }

template <typename T>
std::string listOf(const std::vector<T>& values) {
    std::string text;
    for (const T& value : values) {
        text += text.empty() ? "" : ", ";
        if constexpr (std::is_same_v<T, std::string>) {
            text += '"' + value + '"';
        } else {
            text += std::to_string(value);
        }
    }
    return "[" + text + "]";
}

std::string attributesOf(const RecurrentCase& net) {
    std::string text =
        "hidden_size = " + std::to_string(net.hidden) + ", direction = \"" + net.direction + "\"";
    if (!net.activations.empty()) text += ", activations = " + listOf(net.activations);
    if (!net.alphas.empty()) text += ", activation_alpha = " + listOf(net.alphas);
    if (!net.betas.empty()) text += ", activation_beta = " + listOf(net.betas);
    if (net.clip) text += ", clip = " + std::to_string(*net.clip);
    if (net.couplesInputForget) text += ", input_forget = 1";
    if (net.linearBeforeReset) text += ", linear_before_reset = 1";
    if (net.batchFirst) text += ", layout = 1";
    return text;
}

std::vector<Function> functionsOf(const RecurrentCase& net) {
    std::vector<std::string> names = net.activations;
    for (int64_t d = 0; net.activations.empty() && d < net.directions(); ++d) {
        if (net.op != "RNN") names.emplace_back("Sigmoid");
        names.emplace_back("Tanh");
        if (net.op == "LSTM") names.emplace_back("Tanh");
    }
    size_t nextAlpha = 0, nextBeta = 0;
    const auto alpha = [&](double fallback) {
        return nextAlpha < net.alphas.size() ? static_cast<double>(net.alphas[nextAlpha++])
                                             : fallback;
    };
    const auto beta = [&](double fallback) {
        return nextBeta < net.betas.size() ? static_cast<double>(net.betas[nextBeta++]) : fallback;
    };
    const auto function = [&](const std::string& name) -> Function {
        if (name == "Sigmoid") return [](double x) { return 1 / (1 + std::exp(-x)); };
        if (name == "Tanh") return [](double x) { return std::tanh(x); };
        if (name == "Relu") return [](double x) { return std::max(x, 0.0); };
        if (name == "Softsign") return [](double x) { return x / (1 + std::abs(x)); };
        if (name == "Softplus") return [](double x) { return std::log(1 + std::exp(x)); };
        const bool hasBeta = name == "Affine" || name == "ScaledTanh" || name == "HardSigmoid";
        const double a = alpha(name == "HardSigmoid" ? static_cast<double>(0.2F)
                               : name == "LeakyRelu" ? static_cast<double>(0.01F)
                                                     : 1);
        const double b = hasBeta ? beta(name == "Affine" ? 0 : name == "ScaledTanh" ? 1 : 0.5) : 0;
        if (name == "Affine") return [=](double x) { return a * x + b; };
        if (name == "ScaledTanh") return [=](double x) { return a * std::tanh(b * x); };
        if (name == "HardSigmoid")
            return [=](double x) { return std::max(0.0, std::min(1.0, a * x + b)); };
        if (name == "LeakyRelu") return [=](double x) { return x >= 0 ? x : a * x; };
        if (name == "ThresholdedRelu") return [=](double x) { return x > a ? x : 0; };
        return [=](double x) { return x >= 0 ? x : a * (std::exp(x) - 1); };  // Elu
    };
    std::vector<Function> functions;
    for (const std::string& name : names) functions.push_back(function(name));
    return functions;
}

/// An input as numbers; empty if the node has none.
Numbers numbersOf(const OpCase& node, const std::string& name) {
    const auto found = node.feeds.find(name);
    if (found == node.feeds.end()) return {};
    const Tensor wide = found->second.tensors.front().cast(DType::Float64);
    const auto values = wide.values<double>();
    return {values.begin(), values.end()};
}

/// One direction of one batch entry, step by step.
class Walker {
public:
    Walker(const RecurrentCase& net, const OpCase& node, int64_t direction)
        : net_(net),
          w_(numbersOf(node, "w")),
          r_(numbersOf(node, "r")),
          b_(numbersOf(node, "b")),
          p_(numbersOf(node, "p")),
          direction_(direction),
          functions_(functionsOf(net)) {}

    Numbers hidden, cell;

    void step(const double* x) {
        if (net_.op == "RNN") return rnn(x);
        if (net_.op == "GRU") return gru(x);
        lstm(x);
    }

private:
    const Function& function(size_t place) const {
        const size_t each = functions_.size() / static_cast<size_t>(net_.directions());
        return functions_[static_cast<size_t>(direction_) * each + place];
    }
    /// f or g of a gate; ORT does not clip the input of h.
    double activated(size_t place, double x) const {
        const double bound = net_.clip ? static_cast<double>(*net_.clip) : INFINITY;
        return function(place)(std::max(-bound, std::min(bound, x)));
    }
    size_t row(int64_t gate, int64_t j) const {
        return static_cast<size_t>((direction_ * net_.gates() + gate) * net_.hidden + j);
    }
    double fromInput(int64_t gate, int64_t j, const double* x) const {
        double sum = 0;
        for (int64_t i = 0; i < net_.input; ++i) {
            sum +=
                w_[row(gate, j) * static_cast<size_t>(net_.input) + static_cast<size_t>(i)] * x[i];
        }
        return sum;
    }
    double fromHidden(int64_t gate, int64_t j, const Numbers& h) const {
        double sum = 0;
        for (size_t i = 0; i < h.size(); ++i) sum += r_[row(gate, j) * h.size() + i] * h[i];
        return sum;
    }
    double bias(int64_t half, int64_t gate, int64_t j) const {
        if (b_.empty()) return 0;
        const int64_t at = ((2 * direction_ + half) * net_.gates() + gate) * net_.hidden + j;
        return b_[static_cast<size_t>(at)];
    }
    double peephole(int64_t gate, int64_t j, double c) const {
        if (p_.empty()) return 0;
        return p_[static_cast<size_t>((3 * direction_ + gate) * net_.hidden + j)] * c;
    }
    double sum(int64_t gate, int64_t j, const double* x) const {
        return fromInput(gate, j, x) + fromHidden(gate, j, hidden) + bias(0, gate, j) +
               bias(1, gate, j);
    }

    void rnn(const double* x) {
        Numbers next = hidden;
        for (int64_t j = 0; j < net_.hidden; ++j) {
            next[static_cast<size_t>(j)] = activated(0, sum(0, j, x));
        }
        hidden = next;
    }

    void lstm(const double* x) {
        Numbers next = hidden;
        for (int64_t j = 0; j < net_.hidden; ++j) {
            double& c = cell[static_cast<size_t>(j)];
            const double i = activated(0, sum(0, j, x) + peephole(0, j, c));
            const double f =
                net_.couplesInputForget ? 1 - i : activated(0, sum(2, j, x) + peephole(2, j, c));
            c = f * c + i * activated(1, sum(3, j, x));
            const double o = activated(0, sum(1, j, x) + peephole(1, j, c));
            next[static_cast<size_t>(j)] = o * function(2)(c);
        }
        hidden = next;
    }

    void gru(const double* x) {
        Numbers reset = hidden, next = hidden;
        for (int64_t j = 0; j < net_.hidden; ++j) {
            reset[static_cast<size_t>(j)] *= activated(0, sum(1, j, x));
        }
        for (int64_t j = 0; j < net_.hidden; ++j) {
            const double z = activated(0, sum(0, j, x)), r = activated(0, sum(1, j, x));
            const double linear = net_.linearBeforeReset
                                      ? r * (fromHidden(2, j, hidden) + bias(1, 2, j))
                                      : fromHidden(2, j, reset) + bias(1, 2, j);
            const double h = activated(1, fromInput(2, j, x) + bias(0, 2, j) + linear);
            double& target = next[static_cast<size_t>(j)];
            target = (1 - z) * h + z * target;
        }
        hidden = next;
    }

    const RecurrentCase& net_;
    Numbers w_, r_, b_, p_;
    int64_t direction_;
    std::vector<Function> functions_;
};

/// Indices in the layout of the node.
struct Places {
    const RecurrentCase& net;

    size_t x(int64_t t, int64_t b) const {
        return static_cast<size_t>((net.batchFirst ? b * net.time + t : t * net.batch + b) *
                                   net.input);
    }
    size_t state(int64_t d, int64_t b) const {
        return static_cast<size_t>((net.batchFirst ? b * net.directions() + d : d * net.batch + b) *
                                   net.hidden);
    }
    size_t y(int64_t t, int64_t d, int64_t b) const {
        return static_cast<size_t>((net.batchFirst ? (b * net.time + t) * net.directions() + d
                                                   : (t * net.directions() + d) * net.batch + b) *
                                   net.hidden);
    }
};

Numbers initialState(const RecurrentCase& net, const Numbers& all, size_t place) {
    if (all.empty()) return Numbers(static_cast<size_t>(net.hidden), 0.0);
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(place);
    return {from, from + net.hidden};
}

void put(const Numbers& from, Tensor& to, size_t place) {
    std::copy(from.begin(), from.end(),
              to.mutableValues<double>().begin() + static_cast<std::ptrdiff_t>(place));
}

}  // namespace

OpCase RecurrentCase::node() const {
    const int64_t d = directions(), rows = gates() * hidden;
    Feeds feeds = {
        {"x", randomTensor(batchFirst ? Shape{batch, time, input} : Shape{time, batch, input}, 1)},
        {"w", randomTensor({d, rows, input}, 2, -largestWeight, largestWeight)},
        {"r", randomTensor({d, rows, hidden}, 3, -largestWeight, largestWeight)}};
    const Shape state = batchFirst ? Shape{batch, d, hidden} : Shape{d, batch, hidden};
    const bool isLstm = op == "LSTM";
    if (bias) feeds.insert({"b", randomTensor({d, 2 * rows}, 4)});
    if (!lengths.empty()) {
        feeds.insert({"lengths", Tensor::of<int32_t>({batch}, std::span(lengths))});
    }
    if (initialStates) feeds.insert({"h0", randomTensor(state, 5)});
    if (initialStates && isLstm) feeds.insert({"c0", randomTensor(state, 6)});
    if (peepholes) feeds.insert({"p", randomTensor({d, 3 * hidden}, 7)});
    std::string ins = "x, w, r", outs;
    for (const char* name : {"b", "lengths", "h0", "c0", "p"}) {
        if (!isLstm && (*name == 'c' || *name == 'p')) continue;
        ins += ", " + quoted(feeds.contains(name) ? name : "");
    }
    for (size_t i = 0; i < (isLstm ? 3U : 2U); ++i) {
        outs += (i > 0 ? ", " : "") + quoted(outputs[i]);
    }
    return {outs + " = " + op + "<" + attributesOf(*this) + ">(" + ins + ")", feeds, opset};
}

Results recurrentReference(const RecurrentCase& net) {
    const OpCase node = net.node();
    const Numbers x = numbersOf(node, "x"), h0 = numbersOf(node, "h0"), c0 = numbersOf(node, "c0");
    const Places places{net};
    const int64_t directions = net.directions();
    const Shape state = net.batchFirst ? Shape{net.batch, directions, net.hidden}
                                       : Shape{directions, net.batch, net.hidden};
    Tensor y(DType::Float64, net.batchFirst ? Shape{net.batch, net.time, directions, net.hidden}
                                            : Shape{net.time, directions, net.batch, net.hidden});
    Tensor yh(DType::Float64, state), yc(DType::Float64, state);
    for (int64_t d = 0; d < directions; ++d) {
        for (int64_t b = 0; b < net.batch; ++b) {
            Walker walker(net, node, d);
            walker.hidden = initialState(net, h0, places.state(d, b));
            walker.cell = initialState(net, c0, places.state(d, b));
            const int64_t length =
                net.lengths.empty() ? net.time : net.lengths[static_cast<size_t>(b)];
            const bool forward = (net.direction != "reverse") == (d == 0);
            for (int64_t step = 0; step < length; ++step) {
                const int64_t t = forward ? step : length - 1 - step;
                walker.step(x.data() + places.x(t, b));
                put(walker.hidden, y, places.y(t, d, b));
            }
            if (length == 0) continue;  // ORT's final states are zero in this case
            put(walker.hidden, yh, places.state(d, b));
            put(walker.cell, yc, places.state(d, b));
        }
    }
    Results results;
    const Tensor all[] = {y, yh, yc};
    for (size_t i = 0; i < (net.op == "LSTM" ? 3U : 2U); ++i) {
        if (!net.outputs[i].empty()) results[net.outputs[i]] = all[i];
    }
    return results;
}

}  // namespace temper::test
