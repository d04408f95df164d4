// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/core/counted.h"
#include "engine/ops/text/ngram_pool.h"
#include "engine/ops/text/text.h"
#include "engine/ops/visit_types_cpu.h"

namespace temper {
namespace {

/// Counts n-grams in rows of words. Source: ONNX's description of TfIdfVectorizer; what it leaves
/// open is as in ONNX Runtime: an n-gram of several words may leave out up to max_skip_count words
/// between any two, and n-grams of one word count once, not once for each number of skipped words.
class TfIdf {
public:
    explicit TfIdf(const Node& node)
        : pool_(node),
          shortest_(node.attribute<int64_t>("min_gram_length", 1)),
          longest_(node.attribute<int64_t>("max_gram_length", 1)),
          maxSkip_(node.attribute<int64_t>("max_skip_count", 0)),
          weights_(node.attribute<std::vector<float>>("weights", {})) {
        const auto mode = node.attribute<std::string>("mode", "");
        const bool isKnown = mode == "TF" || mode == "IDF" || mode == "TFIDF";
        require(isKnown, node, "Attribute 'mode' is '" + mode + "'; expected TF, IDF or TFIDF");
        require(shortest_ >= 1 && longest_ >= shortest_ && maxSkip_ >= 0, node,
                "The lengths of n-grams are from " + std::to_string(shortest_) + " to " +
                    std::to_string(longest_) + " words with " + std::to_string(maxSkip_) +
                    " skipped; expected ascending lengths from 1 and a skip of at least 0");
        require(weights_.empty() || weights_.size() == pool_.size(), node,
                "Attribute 'weights' has " + counted(weights_.size(), "number") + " for " +
                    std::to_string(pool_.size()) + " n-grams");
        countsAll_ = mode != "IDF";
        if (mode == "TF") weights_.clear();
    }

    const NgramPool& pool() const { return pool_; }

    /// row: [columns].
    template <typename T>
    void countRow(std::span<const T> words, float* row) const {
        std::fill_n(row, pool_.columns(), 0.0F);
        // Words cannot be further apart than the row is long.
        const int64_t furthest = std::min(maxSkip_, static_cast<int64_t>(words.size()));
        for (int64_t step = 1; step <= furthest + 1; ++step) {
            const int64_t shortest = step == 1 ? shortest_ : std::max<int64_t>(shortest_, 2);
            for (size_t begin = 0; begin < words.size(); ++begin) {
                countFrom(words.subspan(begin), static_cast<size_t>(step), shortest, row);
            }
        }
    }

private:
    static void require(bool holds, const Node& node, const std::string& problem) {
        if (holds) return;
        throw Error(ErrorCode::InvalidInput, problem + " at " + node.describe() + ".",
                    "The model is damaged or was edited by hand: export it again.");
    }

    /// All n-grams that begin with the first word, each word `step` after the one before.
    template <typename T>
    void countFrom(std::span<const T> words, size_t step, int64_t shortest, float* row) const {
        size_t place = NgramPool::kRoot;
        int64_t length = 1;
        for (size_t at = 0; at < words.size() && length <= longest_; at += step, ++length) {
            place = pool_.next(place, static_cast<int64_t>(words[at]));
            if (place == NgramPool::kNone) return;
            const size_t ngram = pool_.ngramAt(place);
            if (length >= shortest && ngram != NgramPool::kNone) count(ngram, row);
        }
    }

    void count(size_t ngram, float* row) const {
        const float weight = weights_.empty() ? 1.0F : weights_[ngram];
        float& sum = row[pool_.column(ngram)];
        sum = countsAll_ ? sum + weight : weight;
    }

    NgramPool pool_;
    int64_t shortest_, longest_;  ///< in words
    int64_t maxSkip_;             ///< in words
    bool countsAll_ = true;       ///< else whether there is one
    std::vector<float> weights_;  ///< by n-gram; empty: all are 1
};

template <typename T>
std::unique_ptr<Kernel> kernelOf(const PrepareContext& context) {
    const Shape& shape = context.input(0).shape;
    const int64_t words = shape.back();
    const int64_t rows = shape.size() == 2 ? shape[0] : 1;
    return makeKernel([tfIdf = TfIdf(context.node()), words, rows](const RunContext& run) {
        for (int64_t row = 0; row < rows; ++row) {
            tfIdf.countRow(std::span(run.in<T>(0) + row * words, static_cast<size_t>(words)),
                           run.out<float>(0) + row * tfIdf.pool().columns());
        }
    });
}

std::unique_ptr<Kernel> prepareTfIdf(const PrepareContext& context) {
    return visitIndex(context, context.input(0).dtype,
                      [&]<typename T>() { return kernelOf<T>(context); });
}

}  // namespace

void addTextKernels(KernelRegistry& kernels) { kernels.add("", "TfIdfVectorizer", prepareTfIdf); }

}  // namespace temper
