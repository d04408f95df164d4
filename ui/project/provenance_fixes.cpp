// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/provenance_fixes.h"

#include <algorithm>
#include <utility>

#include "ui/project/studio_project.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

using Names = std::vector<std::string>;

/// The specification with more names in one list of choices.
TrainingSpec withChosen(TrainingSpec spec, Names SharingChoices::*list, const Names& names) {
    Names& chosen = spec.sharing.*list;
    for (const std::string& name : names)
        if (std::ranges::count(chosen, name) == 0) chosen.push_back(name);
    return spec;
}

ProblemFix sharingFix(const QString& label, StudioProject& project, Names SharingChoices::*list,
                      Names names) {
    return {label, [&project, label, list, names = std::move(names)] {
                project.edit(label, withChosen(project.spec(), list, names));
            }};
}

ProblemFix normsFix(const QString& label, StudioProject& project, Names choices) {
    return {label, [&project, label, choices = std::move(choices)] {
                TrainingSpec spec = project.spec();
                spec.restoreNorms = choices;
                project.edit(label, spec);
            }};
}

/// Whether the finding names this way out; others of its code may have none.
bool offers(const Finding& finding, const char* option) {
    return finding.hint.find(option) != std::string::npos;
}

}  // namespace

std::vector<ProblemFix> provenanceFixesOf(const Finding& finding, StudioProject& project) {
    const Names& tensors = finding.parameters;
    const Names first(tensors.begin(), tensors.begin() + (tensors.empty() ? 0 : 1));
    if (offers(finding, "--untie"))
        return {sharingFix(tr("Train the copies apart"), project, &SharingChoices::untie, first)};
    if (offers(finding, "--keep-merged"))
        return {
            sharingFix(tr("Keep them one tensor"), project, &SharingChoices::keepMerged, first)};
    if (offers(finding, "--tie"))
        return {sharingFix(tr("Train them as one"), project, &SharingChoices::tie, tensors)};
    if (offers(finding, "--part"))
        return {sharingFix(tr("Give each node a tensor of its own"), project, &SharingChoices::part,
                           first)};
    if (finding.code == "S005") return {normsFix(tr("Leave them merged"), project, {})};
    if (offers(finding, "--restore-norm"))
        return {normsFix(tr("Put back batch normalization"), project, {"*"})};
    return {};
}

}  // namespace temper::ui
