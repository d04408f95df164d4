// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "engine/runs/report_language.h"
#include "engine/runs/run_record.h"

namespace temper {

/// A self-contained page about a run, without scripts or network access: outcome, curves of loss,
/// metrics, learning rate and gradient norm, table of evaluations, confusion matrix, settings,
/// environment and the command that repeats the run. Light or dark, as the reader's system is set.
std::string htmlReport(const RunRecord& record, const ReportLanguage& language = {});

/// Writes htmlReport() to a file, under a temporary name first. Throws: Error(Io) naming the path.
void writeHtmlReport(const RunRecord& record, const std::filesystem::path& path,
                     const ReportLanguage& language = {});

}  // namespace temper
