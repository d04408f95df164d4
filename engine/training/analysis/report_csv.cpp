// SPDX-License-Identifier: Apache-2.0
#include "engine/training/analysis/report_csv.h"

#include <charconv>
#include <cmath>
#include <concepts>

#include "engine/core/file.h"

namespace temper {
namespace {

constexpr size_t kBlock = size_t{1} << 20;  ///< characters written at once

/// Writes fields and lines of a file.
class Writer {
public:
    explicit Writer(const std::filesystem::path& path) : file_(path) {}

    void add(const std::string& field) {
        if (field.find_first_of(",\"\r\n") == std::string::npos) {
            text_ += field + ',';
            return;
        }
        text_ += '"';
        for (const char c : field) text_.append(c == '"' ? 2 : 1, c);
        text_ += "\",";
    }

    /// The shortest text that reads back as the same number; nothing for NaN.
    template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>
    void add(Number number) {
        char digits[32];
        const bool isEmpty = std::floating_point<Number> && std::isnan(static_cast<double>(number));
        if (!isEmpty)
            text_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
        text_ += ',';
    }

    void endLine() {
        text_.back() = '\n';
        if (text_.size() >= kBlock) flush();
    }

    void commit() {
        flush();
        file_.commit();
    }

private:
    void flush() {
        file_.write(text_);
        text_.clear();
    }

    AtomicFile file_;
    std::string text_;
};

std::string nameOf(const PredictionSet& set, int64_t index) {
    const auto at = static_cast<size_t>(index);
    return at < set.classes.size() ? set.classes[at] : std::to_string(index);
}

/// Sets of numbers may have no names; a single one needs none.
std::string numbered(const char* what, const PredictionSet& set, int64_t column) {
    return set.width() == 1 ? what : what + (" " + nameOf(set, column));
}

void addHeader(Writer& writer, const PredictionSet& set) {
    const bool isNumbers = set.kind == TaskKind::Numbers;
    writer.add(std::string("sample"));
    if (!set.places.empty()) writer.add(std::string("position"));
    if (!isNumbers)
        for (const char* name : {"right", "predicted", "correct"}) writer.add(std::string(name));
    writer.add(std::string("loss"));
    for (int64_t i = 0; i < set.width(); ++i) {
        if (isNumbers) {
            writer.add(numbered("right", set, i));
            writer.add(numbered("predicted", set, i));
        } else {
            writer.add("p " + nameOf(set, i));
        }
    }
    writer.endLine();
}

void addEntry(Writer& writer, const PredictionSet& set, int64_t entry) {
    const auto at = static_cast<size_t>(entry);
    const bool isNumbers = set.kind == TaskKind::Numbers;
    writer.add(set.samples[at]);
    if (!set.places.empty()) writer.add(set.places[at]);
    if (!isNumbers) {
        const int64_t predicted = set.predictedClass(entry);
        writer.add(nameOf(set, set.labels[at]));
        writer.add(nameOf(set, predicted));
        writer.add(predicted == set.labels[at] ? 1 : 0);
    }
    writer.add(at < set.losses.size() ? set.losses[at] : std::nan(""));
    for (int64_t i = 0; i < set.width(); ++i) {
        if (isNumbers)
            writer.add(set.targets.values<float>()[at * static_cast<size_t>(set.width()) +
                                                   static_cast<size_t>(i)]);
        writer.add(set.output(entry, i));
    }
    writer.endLine();
}

void addFigures(Writer& writer, const std::string& name, const ClassFigures& figures, double area) {
    writer.add(name);
    for (const double each : {figures.precision, figures.recall, figures.f1, area})
        writer.add(each);
    writer.add(figures.support);
    writer.endLine();
}

}  // namespace

bool exportPredictions(const std::filesystem::path& path, const PredictionSet& set,
                       const std::stop_token& stop) {
    Writer writer(path);
    addHeader(writer, set);
    for (int64_t entry = 0; entry < set.entries(); ++entry) {
        if (stop.stop_requested()) return false;
        addEntry(writer, set, entry);
    }
    writer.commit();
    return true;
}

void exportClassReport(const std::filesystem::path& path, const ClassReport& report,
                       const std::vector<RocCurve>& curves) {
    Writer writer(path);
    for (const char* name : {"class", "precision", "recall", "f1", "auc", "samples"})
        writer.add(std::string(name));
    writer.endLine();
    for (size_t i = 0; i < report.classes.size(); ++i)
        addFigures(writer, report.classes[i].name, report.classes[i],
                   i < curves.size() ? curves[i].area : std::nan(""));
    const double none = std::nan("");
    addFigures(writer, "accuracy", {"", none, none, report.accuracy, report.weighted.support},
               none);
    addFigures(writer, "macro avg", report.macro, none);
    addFigures(writer, "weighted avg", report.weighted, none);
    writer.commit();
}

}  // namespace temper
