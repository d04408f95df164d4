// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/gradient_reduction.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace temper {
namespace {

/// The first channel for gradients; 0 is that of running statistics.
constexpr int kFirstChannel = 1;
/// ab, aa and bb of a pair of gradients of one parameter.
constexpr size_t kProducts = 3;

void waitFor(const std::vector<std::shared_ptr<Exchange>>& exchanges) {
    for (const std::shared_ptr<Exchange>& exchange : exchanges) exchange->wait();
}

/// How much of a gradient with this square goes into the sum, if `product` is that with the other.
float shareOf(double product, double square) {
    return square > 0 ? static_cast<float>(1 - product / (2 * square)) : 1;
}

}  // namespace

void MeanReduction::reduce() {
    const auto share = 1 / static_cast<float>(group_.size());
    const PartRange all{0, layout_.count()};
    layout_.numbers().fetch(all);
    std::for_each_n(layout_.numbers().data(), layout_.count(), [share](float& x) { x *= share; });
    const SumTree tree(group_.size(), group_.size());
    std::vector<std::shared_ptr<Exchange>> exchanges;
    for (const GradientBucket& bucket : layout_.buckets()) {
        float* numbers = layout_.numbers().data() + bucket.numbers.begin;
        exchanges.push_back(
            group_.beginAllReduce(kFirstChannel + static_cast<int>(exchanges.size()),
                                  {tree, {numbers}, bucket.numbers.count(), numbers}));
    }
    waitFor(exchanges);
    layout_.numbers().store(all);
}

AdasumReduction::AdasumReduction(Group& group, const GradientLayout& layout)
    : GradientReduction(group, layout), shards_(equalShards(layout.count(), group.size())) {
    const auto rank = static_cast<size_t>(group.rank());
    const PartRange mine{shards_[rank], shards_[rank + 1]};
    for (size_t i = 0; i < layout.gradients().size(); ++i) {
        const PartRange whole = layout.gradients()[i].numbers;
        const PartRange part{std::max(whole.begin, mine.begin), std::min(whole.end, mine.end)};
        if (part.count() > 0)
            parts_.push_back({i, {part.begin - mine.begin, part.end - mine.begin}});
    }
    theirs_.resize(static_cast<size_t>(group.size()));
    for (size_t other = 0; other < theirs_.size(); ++other) {
        if (other != rank) theirs_[other].resize(static_cast<size_t>(mine.count()));
    }
}

void AdasumReduction::reduce() {
    const auto rank = static_cast<size_t>(group_.rank());
    const PartRange all{0, layout_.count()};
    layout_.numbers().fetch(all);
    float* numbers = layout_.numbers().data();
    std::vector<float*> gradients;
    for (std::vector<float>& received : theirs_) gradients.push_back(received.data());
    group_.beginShardExchange(kFirstChannel, numbers, shards_, gradients)->wait();
    float* own = numbers + shards_[rank];
    gradients[rank] = own;
    while (gradients.size() > 1) combine(gradients);
    if (gradients.front() != own)
        std::copy_n(gradients.front(), shards_[rank + 1] - shards_[rank], own);
    group_.beginAllGather(kFirstChannel, numbers, shards_)->wait();
    layout_.numbers().store(all);
}

/// Of each pair of gradients and each parameter: kProducts sums over all ranks, in their order.
std::vector<double> AdasumReduction::products(const std::vector<float*>& gradients) const {
    const size_t pairs = gradients.size() / 2, parameters = layout_.gradients().size();
    std::vector<double> sums(pairs * parameters * kProducts);
    for (size_t pair = 0; pair < pairs; ++pair) {
        const float *a = gradients[2 * pair], *b = gradients[2 * pair + 1];
        for (const Part& part : parts_) {
            double* sum = &sums[(pair * parameters + part.parameter) * kProducts];
            for (int64_t i = part.numbers.begin; i < part.numbers.end; ++i) {
                sum[0] += static_cast<double>(a[i]) * b[i];
                sum[1] += static_cast<double>(a[i]) * a[i];
                sum[2] += static_cast<double>(b[i]) * b[i];
            }
        }
    }
    std::string mine(sums.size() * sizeof(double), '\0');
    std::memcpy(mine.data(), sums.data(), mine.size());
    std::ranges::fill(sums, 0);
    for (const std::string& theirs : group_.gather(mine)) {
        for (size_t i = 0; i < sums.size(); ++i) {
            double part = 0;
            std::memcpy(&part, theirs.data() + i * sizeof part, sizeof part);
            sums[i] += part;
        }
    }
    return sums;
}

/// Half as many gradients are left; the last one of an odd number waits for the next level.
void AdasumReduction::combine(std::vector<float*>& gradients) const {
    const std::vector<double> sums = products(gradients);
    const size_t pairs = gradients.size() / 2, parameters = layout_.gradients().size();
    std::vector<float*> left;
    for (size_t pair = 0; pair < pairs; ++pair) {
        float* a = gradients[2 * pair];
        const float* b = gradients[2 * pair + 1];
        for (const Part& part : parts_) {
            const double* sum = &sums[(pair * parameters + part.parameter) * kProducts];
            const float ofA = shareOf(sum[0], sum[1]), ofB = shareOf(sum[0], sum[2]);
            for (int64_t i = part.numbers.begin; i < part.numbers.end; ++i)
                a[i] = ofA * a[i] + ofB * b[i];
        }
        left.push_back(a);
    }
    if (gradients.size() % 2 == 1) left.push_back(gradients.back());
    gradients = std::move(left);
}

}  // namespace temper
