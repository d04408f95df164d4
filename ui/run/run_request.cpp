// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_request.h"

#include "ui/document/studio_project.h"

namespace temper::ui {

RunRequest makeRunRequest(const StudioProject& project, bool startOver) {
    const auto& preparation = project.preparation();
    RunRequest request;
    request.artifacts = preparation->artifacts;
    request.ops = project.ops();
    request.run = project.spec().run;
    request.startOver = startOver;
    if (const auto& data = preparation->data)
        request.data = {data->training(), data->evaluation(), preparation->proposal.binding};
    return request;
}

}  // namespace temper::ui
