// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <filesystem>

#include "engine/runs/report_language.h"
#include "engine/runs/run_record.h"

namespace temper::ui {

/// The language of the window.
ReportLanguage reportLanguage();

/// htmlReport() on A4 pages, in the language of the window and in light colours, with curves that
/// stay sharp at any scale. On any thread.
QByteArray pdfReport(const RunRecord& record);

/// The report in the format of the path's suffix: PDF for .pdf, else an HTML page. Writes to a
/// temporary name first. Throws: Error(Io) naming the path.
void writeReport(const RunRecord& record, const std::filesystem::path& path);

}  // namespace temper::ui
