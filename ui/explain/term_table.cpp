// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"

#include <QSet>
#include <algorithm>

#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "ui/translation/engine_texts.h"

namespace temper::ui {

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
    {"metric", "rmse", "mse"},
};

struct ChoiceKind {
    const char* name;  ///< and id of its term
    const std::vector<Choice>& (*choices)();
};

constexpr ChoiceKind kChoiceKinds[] = {
    {"loss", lossChoices}, {"optimizer", optimizerChoices}, {"schedule", scheduleChoices}};

/// The choices that no table explains, as the engine describes them.
void addChoices(std::vector<Term>& all) {
    QSet<QString> explained;
    for (const Term& term : all) explained.insert(term.id);
    for (const ChoiceKind& kind : kChoiceKinds) {
        for (const Choice& choice : kind.choices()) {
            const QString id = termOfChoice(kind.name, QString::fromStdString(choice.key));
            if (explained.contains(id)) continue;
            explained.insert(id);
            all.push_back({id,
                           engineText(choice.label),
                           engineText(choice.help),
                           QString::fromStdString(choice.formula),
                           {kind.name}});
        }
    }
}

}  // namespace

std::vector<Term> terms() {
    std::vector<Term> all = dataTerms();
    for (const auto& part :
         {objectiveTerms(), modelTerms(), codeTerms(), dataCodeTerms(), fileCodeTerms()})
        all.insert(all.end(), part.begin(), part.end());
    addChoices(all);
    return all;
}

QString termOfChoice(const QString& kind, const QString& key) {
    const auto found =
        std::find_if(std::begin(kAliases), std::end(kAliases), [&](const Alias& alias) {
            return kind == QLatin1String(alias.kind) && key == QLatin1String(alias.key);
        });
    if (found != std::end(kAliases)) return QLatin1String(found->term);
    return kind == QLatin1String("number") ? QString() : key;
}

}  // namespace temper::ui
