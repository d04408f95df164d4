// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/sharded_optimizer.h"

#include <algorithm>
#include <array>

#include "engine/ops/update/update.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/session/moment_check.h"

namespace temper {
namespace {

/// Channels of weights; gradients, which have these too, are complete by then.
constexpr int kFirstChannel = 1;

std::string nameOf(const GradientLayout& layout, const ShardPiece& piece) {
    return layout.gradients()[piece.gradient].parameter + "[" +
           std::to_string(piece.numbers.begin) + ":" + std::to_string(piece.numbers.end) + "]";
}

/// The node that updates. Throws: Error(Unsupported) if the model needs whole parameters, or all.
Node& updatingNode(Graph& model) {
    const auto refuse = [](const std::string& what) {
        throw Error(
            ErrorCode::Unsupported,
            "The optimizer model " + what + ", so ranks can't share out its state.",
            "Choose another optimizer, or let each rank have the whole state (ZeRO stage 0).");
    };
    if (model.nodes().size() != 1) refuse("does more than update each number by itself");
    Node& node = *model.nodes().front();
    const auto rule = optimizerRule(node.attribute<std::string>("rule", ""));
    if (rule && rule->needsWholeParameters) refuse("needs norms of whole parameters");
    return node;
}

template <typename T>
void spread(Node& node, const char* name, const std::vector<size_t>& origin) {
    const auto values = node.attribute<std::vector<T>>(name);
    if (!values) return;
    std::vector<T> spread;
    for (const size_t index : origin) spread.push_back((*values)[index]);
    node.setAttribute(name, spread);
}

/// The model for pieces: each has the numbers of its parameter.
std::shared_ptr<const Graph> forPieces(const std::shared_ptr<const Graph>& optimizer,
                                       const GradientLayout& layout,
                                       const std::vector<ShardPiece>& pieces) {
    std::shared_ptr<Graph> model = executableOptimizer(optimizer)->clone();
    Node& node = updatingNode(*model);
    const auto named = node.attribute<std::vector<std::string>>("parameters");
    if (!named) return model;
    std::vector<size_t> origin;
    std::vector<std::string> names;
    for (const ShardPiece& piece : pieces) {
        const std::string& parameter = layout.gradients()[piece.gradient].parameter;
        origin.push_back(
            static_cast<size_t>(std::ranges::find(*named, parameter) - named->begin()));
        names.push_back(nameOf(layout, piece));
    }
    spread<float>(node, "learning_rate_factors", origin);
    spread<float>(node, "weight_decays", origin);
    spread<int64_t>(node, "start_steps", origin);
    node.setAttribute("parameters", names);
    return model;
}

/// The optimizer model of the session, for all parameters. Throws: Error(State) without one.
UpdateGroup updateOf(const TrainingSession& session, const GradientLayout& layout) {
    if (!session.artifacts().optimizerModel) {
        throw Error(ErrorCode::State, "No optimizer session initialized.",
                    "Specify an optimizer model.");
    }
    UpdateGroup all{session.artifacts().optimizerModel, {}};
    for (const LaidOutGradient& gradient : layout.gradients())
        all.parameters.push_back(gradient.parameter);
    return all;
}

constexpr std::array kMoments{"momentum0", "momentum1"};

bool isMoment(const std::string& name) { return name.starts_with("momentum"); }

/// Throws: as requireMomentFits(); Error(Unsupported) for half precision.
void requireShareable(const Parameter& parameter, const std::string& name, const Tensor& moment) {
    requireMomentFits(parameter, name, moment);
    if (moment.dtype() == DType::Float32) return;
    throw Error(ErrorCode::Unsupported,
                "Optimizer state '" + name + "' of parameter '" + parameter.name + "' is " +
                    std::string(dtypeName(moment.dtype())) +
                    "; ranks share out float32 moments only.",
                "Let each rank have the whole state (ZeRO stage 0).");
}

}  // namespace

ShardedOptimizer::ShardedOptimizer(TrainingSession& session, Group& group,
                                   const GradientLayout& layout, const ShardMap& shards)
    : ShardedOptimizer(session, group, layout, shards, {updateOf(session, layout)}) {}

ShardedOptimizer::ShardedOptimizer(TrainingSession& session, Group& group,
                                   const GradientLayout& layout, const ShardMap& shards,
                                   const std::vector<UpdateGroup>& updates)
    : session_(session), group_(group), layout_(layout), shards_(shards) {
    session.joinParameters();
    const std::string& first = layout.gradients().front().parameter;
    weights_ = HostNumbers(session.state().parameter(first).data, layout.count());
    addPieces();
    takeMoments();
    for (const UpdateGroup& update : updates) addOptimizer(update);
}

/// For this rank's pieces of the parameters. A rank that has none checks the model all the same.
void ShardedOptimizer::addOptimizer(const UpdateGroup& update) {
    std::vector<ShardPiece> pieces;
    std::vector<std::string> names;
    for (const ShardPiece& piece : shards_.piecesOf(group_.rank())) {
        const std::string& parameter = layout_.gradients()[piece.gradient].parameter;
        if (std::ranges::find(update.parameters, parameter) == update.parameters.end()) continue;
        pieces.push_back(piece);
        names.push_back(nameOf(layout_, piece));
    }
    const auto model = forPieces(update.model, layout_, pieces);
    if (names.empty()) return;
    optimizers_.push_back(std::make_unique<Optimizer>(model, names, pieces_, session_.context()));
}

size_t ShardedOptimizer::bytes() const {
    size_t bytes = 0;
    for (const auto& [piece, moments] : pieces_.optimizerState().moments) {
        for (const auto& [name, moment] : moments) bytes += moment.byteSize();
    }
    return bytes;
}

void ShardedOptimizer::addPieces() {
    for (const ShardPiece& piece : shards_.piecesOf(group_.rank())) {
        const Parameter& whole =
            session_.state().parameter(layout_.gradients()[piece.gradient].parameter);
        names_.push_back(nameOf(layout_, piece));
        pieces_.addParameter({names_.back(), partOf(whole.data, piece.numbers),
                              partOf(whole.gradient, piece.numbers), true});
    }
}

/// On each rank those of all parameters, so that all ranks refuse a state for the same reason.
void ShardedOptimizer::checkMoments() const {
    const CheckpointState& state = session_.state();
    for (const LaidOutGradient& gradient : layout_.gradients()) {
        const auto found = state.optimizerState().moments.find(gradient.parameter);
        if (found == state.optimizerState().moments.end()) continue;
        for (const auto& [name, moment] : found->second) {
            if (isMoment(name)) requireShareable(state.parameter(gradient.parameter), name, moment);
        }
    }
}

void ShardedOptimizer::takeMoments() {
    checkMoments();
    OptimizerState& whole = session_.state().optimizerState();
    OptimizerState& mine = pieces_.optimizerState();
    mine.step = whole.step;
    for (const ShardPiece& piece : shards_.piecesOf(group_.rank())) {
        const auto found = whole.moments.find(layout_.gradients()[piece.gradient].parameter);
        if (found == whole.moments.end()) continue;
        for (const auto& [name, moment] : found->second) {
            if (!isMoment(name)) continue;
            // In place: the optimizers know where it is.
            Tensor& part = mine.moments[nameOf(layout_, piece)][name];
            if (part.empty()) {
                part = partOf(moment, piece.numbers).duplicate();
            } else {
                part.assign(partOf(moment, piece.numbers));
            }
        }
    }
    pieces_.setHasOptimizerState(!mine.moments.empty());
    session_.state().setHasOptimizerState(true);
    release();
}

void ShardedOptimizer::step() {
    int64_t& step = pieces_.optimizerState().step;
    const int64_t before = step;
    for (const auto& optimizer : optimizers_) {
        step = before;  // each counts, but all do the same step
        optimizer->setLearningRate(session_.learningRate());
        optimizer->step();
    }
    ++session_.state().optimizerState().step;
    exchangeWeights();
}

void ShardedOptimizer::exchangeWeights() {
    for (const ShardPiece& piece : shards_.piecesOf(group_.rank()))
        weights_.fetch({piece.begin, piece.begin + piece.numbers.count()});
    std::vector<std::shared_ptr<Exchange>> exchanges;
    for (size_t bucket = 0; bucket < layout_.buckets().size(); ++bucket) {
        exchanges.push_back(group_.beginAllGather(
            kFirstChannel + static_cast<int>(bucket),
            weights_.data() + layout_.buckets()[bucket].numbers.begin, shards_.bordersOf(bucket)));
    }
    for (const std::shared_ptr<Exchange>& exchange : exchanges) exchange->wait();
    weights_.store({0, layout_.count()});
}

/// This rank's pieces of the moments of this name, one after the other.
std::string ShardedOptimizer::momentsOf(const char* name) const {
    std::string bytes;
    const auto& moments = pieces_.optimizerState().moments;
    for (const std::string& piece : names_) {
        const auto found = moments.find(piece);
        if (found == moments.end() || !found->second.contains(name)) continue;
        const Tensor moment = found->second.at(name).onHost();
        bytes.append(reinterpret_cast<const char*>(moment.data()), moment.byteSize());
    }
    return bytes;
}

/// `all`: momentsOf() of the ranks; empty for those that have none.
void ShardedOptimizer::addWhole(const char* name, const std::vector<std::string>& all) {
    for (int rank = 0; rank < group_.size(); ++rank) {
        const std::string& theirs = all[static_cast<size_t>(rank)];
        if (theirs.empty()) continue;
        size_t at = 0;
        for (const ShardPiece& piece : shards_.piecesOf(rank)) {
            const std::string& parameter = layout_.gradients()[piece.gradient].parameter;
            Tensor& whole = session_.state().optimizerState().moments[parameter][name];
            if (whole.empty())
                whole = Tensor(DType::Float32, session_.state().parameter(parameter).data.shape());
            Tensor part = partOf(whole, piece.numbers);
            std::copy_n(theirs.data() + at, part.byteSize(),
                        reinterpret_cast<char*>(part.mutableData()));
            at += part.byteSize();
        }
    }
}

void ShardedOptimizer::gather(bool isWanted) {
    group_.broadcast(std::as_writable_bytes(std::span(&isWanted, 1)));
    if (!isWanted) return;
    for (const char* name : kMoments) addWhole(name, group_.collect(momentsOf(name)));
}

void ShardedOptimizer::gatherEverywhere() {
    for (const char* name : kMoments) addWhole(name, group_.gather(momentsOf(name)));
}

void ShardedOptimizer::release() {
    auto& moments = session_.state().optimizerState().moments;
    for (auto each = moments.begin(); each != moments.end();) {
        std::erase_if(each->second, [](const auto& moment) { return isMoment(moment.first); });
        each = each->second.empty() ? moments.erase(each) : std::next(each);
    }
}

}  // namespace temper
