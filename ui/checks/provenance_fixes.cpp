// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checks/provenance_fixes.h"

#include <algorithm>
#include <utility>

#include "ui/document/studio_project.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

using Names = std::vector<std::string>;

bool isIn(const Names& list, const std::string& name) { return std::ranges::count(list, name) > 0; }

/// The specification with `names` added to one list of choices.
TrainingSpec withChosen(TrainingSpec spec, Names SharingChoices::*list, const Names& names) {
    Names& chosen = spec.sharing.*list;
    for (const std::string& name : names)
        if (!isIn(chosen, name)) chosen.push_back(name);
    return spec;
}

/// The specification without a name in the list; a single name left to tie is also removed.
TrainingSpec withoutChosen(TrainingSpec spec, Names SharingChoices::*list,
                           const std::string& name) {
    Names& chosen = spec.sharing.*list;
    std::erase(chosen, name);
    if (list == &SharingChoices::tie && chosen.size() == 1) chosen.clear();
    return spec;
}

/// A choice that may contradict an opposite one, which is then removed instead.
struct SharingFix {
    Names SharingChoices::*list;
    Names SharingChoices::*opposite;
    QString label;
};

ProblemFix sharingFix(const SharingFix& fix, StudioProject& project, const Names& names) {
    return {fix.label, [&project, fix, names] {
                const TrainingSpec& spec = project.spec();
                const bool isOpposed = isIn(spec.sharing.*fix.opposite, names.front());
                project.edit(fix.label, isOpposed ? withoutChosen(spec, fix.opposite, names.front())
                                                  : withChosen(spec, fix.list, names));
            }};
}

ProblemFix normsFix(const QString& label, StudioProject& project, Names choices) {
    return {label, [&project, label, choices = std::move(choices)] {
                TrainingSpec spec = project.spec();
                spec.restoreNorms = choices;
                project.edit(label, spec);
            }};
}

/// Whether the finding suggests this option; others with its code may not.
bool offers(const Finding& finding, const char* option) {
    return finding.hint.find(option) != std::string::npos;
}

}  // namespace

std::vector<ProblemFix> provenanceFixesOf(const Finding& finding, StudioProject& project) {
    const Names& tensors = finding.parameters;
    const auto fix = [&](Names SharingChoices::*list, Names SharingChoices::*opposite,
                         const QString& label, const Names& names) {
        return std::vector{sharingFix({list, opposite, label}, project, names)};
    };
    using S = SharingChoices;
    const auto isChosen = [&](Names S::*list) {
        return isIn(project.spec().sharing.*list, tensors.front());
    };
    if (finding.code == "S001" && offers(finding, "--tie")) {  // the user's own choice
        if (!isChosen(&S::tie)) return {};                     // by a pattern
        return fix(&S::untie, &S::tie, tr("Train the copies separately"), {tensors.front()});
    }
    if (offers(finding, "--untie") && isChosen(&S::untie))
        return fix(&S::tie, &S::untie, tr("Train them as one"), {tensors.front()});
    if (offers(finding, "--untie"))
        return fix(&S::untie, &S::tie, tr("Train the copies separately"), {tensors.front()});
    if (offers(finding, "--keep-merged") && isChosen(&S::keepMerged))
        return fix(&S::part, &S::keepMerged, tr("Restore the parameters"), {tensors.front()});
    if (offers(finding, "To keep them merged: --keep-merged"))
        return fix(&S::keepMerged, &S::part, tr("Leave as exported"), {tensors.front()});
    if (offers(finding, "--keep-merged"))
        return fix(&S::keepMerged, &S::part, tr("Leave as exported"), tensors);
    if (offers(finding, "--tie")) return fix(&S::tie, &S::untie, tr("Train them as one"), tensors);
    if (offers(finding, "--part"))
        return fix(&S::part, &S::keepMerged, tr("Give each node its own tensor"),
                   {tensors.front()});
    if (finding.code == "S005") return {normsFix(tr("Leave them merged"), project, {})};
    if (offers(finding, "--restore-norm"))
        return {normsFix(tr("Put back batch normalization"), project, {"*"})};
    return {};
}

}  // namespace temper::ui
