// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "ui/explain/term_table.h"

namespace temper::ui {

std::vector<Term> terms() {
    std::vector<Term> all = dataTerms();
    for (const auto& part : {objectiveTerms(), modelTerms(), codeTerms(), fileCodeTerms()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

namespace {

struct Alias {
    const char* kind;
    const char* key;
    const char* term;
};

/// Choices and numbers of the engine whose keys differ from the ids of their terms.
constexpr Alias kAliases[] = {
    {"loss", "l1", "mae"},
    {"loss", "smooth-l1", "huber"},
    {"loss", "bce-with-logits", "bce"},
    {"loss", "binary-focal", "focal"},
    {"loss", "kl-div", "kl"},
    {"loss", "next-token", "next-token"},
    {"loss", "none", "loss"},
    {"optimizer", "adamw", "adam"},
    {"optimizer", "adamw-torch", "adam"},
    {"optimizer", "nesterov", "momentum"},
    {"optimizer", "none", "optimizer"},
    {"schedule", "constant", "constant-rate"},
    {"schedule", "linear", "linear-decay"},
    {"schedule", "polynomial", "linear-decay"},
    {"schedule", "cosine-restarts", "cosine"},
    {"schedule", "step", "step-decay"},
    {"schedule", "multi-step", "step-decay"},
    {"schedule", "exponential", "step-decay"},
    {"number", "weight_decay", "weight-decay"},
    {"number", "momentum", "momentum"},
    {"number", "beta1", "moment"},
    {"number", "beta2", "moment"},
    {"number", "alpha", "moment"},
    {"number", "clip_norm", "clipping"},
    {"number", "clip_value", "clipping"},
    {"number", "label_smoothing", "label-smoothing"},
    {"number", "warmup_steps", "warmup"},
    {"number", "min_rate", "learning-rate"},
    {"number", "patience", "patience"},
    {"metric", "top-5-accuracy", "accuracy"},
    {"metric", "loss", "loss"},
    {"metric", "mae", "mae"},
    {"metric", "mse", "mse"},
    {"metric", "rmse", "mse"},
};

}  // namespace

QString termOfChoice(const QString& kind, const QString& key) {
    const auto found =
        std::find_if(std::begin(kAliases), std::end(kAliases), [&](const Alias& alias) {
            return kind == QLatin1String(alias.kind) && key == QLatin1String(alias.key);
        });
    if (found != std::end(kAliases)) return QLatin1String(found->term);
    return kind == QLatin1String("number") ? QString() : key;
}

}  // namespace temper::ui
