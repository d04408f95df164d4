// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/engine/ops/operator_table/operator_table.h"

namespace temper::test {
namespace {

constexpr size_t kShownShapes = 4;
constexpr size_t kShownOperators = 6;
/// Models of older opsets are not read with their original meaning.
constexpr int64_t kOldestOpset = 9;

std::vector<std::string> fieldsOf(const std::string& line, char separator) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, separator);) fields.push_back(field);
    return fields;
}

std::ifstream open(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream) throw Error(ErrorCode::Io, "'" + file.string() + "' can't be read.");
    return stream;
}

/// The version in force at the oldest opset, then the newer ones.
std::string versionsText(const std::vector<int64_t>& versions) {
    std::string text;
    for (size_t i = 0; i < versions.size(); ++i) {
        const bool isReplaced = i + 1 < versions.size() && versions[i + 1] <= kOldestOpset;
        if (!isReplaced) text += (text.empty() ? "" : ", ") + std::to_string(versions[i]);
    }
    return text;
}

template <typename List>
std::string listText(const List& list, size_t shown, const std::string& separator) {
    std::string text;
    size_t count = 0;
    for (const std::string& item : list) {
        if (count++ == shown) return text + separator + "...";
        text += (text.empty() ? "" : separator) + item;
    }
    return text;
}

std::string testedText(const OperatorCases& cases) {
    std::string text;
    if (!cases.onnxTests.empty()) {
        text = std::to_string(cases.onnxTests.size()) + " of ONNX (" +
               listText(cases.dtypes, kShownOperators, ", ") + ")";
    }
    if (cases.gradientCases == 0) return text;
    text += (text.empty() ? "" : "; ") + std::to_string(cases.gradientCases) +
            " gradients: " + listText(cases.shapes, kShownShapes, "; ");
    return text;
}

std::string withoutBars(std::string text) {
    std::replace(text.begin(), text.end(), '|', '/');
    return text;
}

void writeTable(std::ostream& stream, const std::string& domain,
                const std::vector<OperatorRow>& rows,
                const std::map<std::string, OperatorCases>& cases,
                const std::map<std::string, std::vector<int64_t>>& versions) {
    stream << "\n## " << (domain.empty() ? "ai.onnx" : domain) << "\n\n"
           << "| operator | versions | forward | gradient | its operators | tested |\n"
           << "|---|---|---|---|---|---|\n";
    for (const OperatorRow& row : rows) {
        if (row.domain != domain) continue;
        const auto known = cases.find(row.qualifiedOp());
        const OperatorCases covered = known == cases.end() ? OperatorCases{} : known->second;
        const auto version = versions.find(row.op);
        stream << "| " << row.qualifiedOp() << " | "
               << (domain.empty() && version != versions.end() ? versionsText(version->second)
                                                               : "-")
               << " | " << row.forward << " | " << row.gradient << " | "
               << listText(covered.emitted, kShownOperators, ", ") << " | "
               << withoutBars(testedText(covered)) << " |\n";
    }
}

}  // namespace

std::map<std::string, OperatorCases> readCases(const std::filesystem::path& file) {
    std::map<std::string, OperatorCases> all;
    std::ifstream stream = open(file);
    for (std::string line; std::getline(stream, line);) {
        std::vector<std::string> fields = fieldsOf(line, '\t');
        fields.resize(4);
        OperatorCases& cases = all[fields[1]];
        if (fields[0] == "onnx") {
            cases.onnxTests.insert(fields[3]);
            for (const std::string& dtype : fieldsOf(fields[2], ' ')) cases.dtypes.insert(dtype);
            continue;
        }
        ++cases.gradientCases;
        auto& shapes = cases.shapes;
        if (std::find(shapes.begin(), shapes.end(), fields[2]) == shapes.end()) {
            shapes.push_back(fields[2]);
        }
        std::istringstream operators(fields[3]);
        for (std::string op; std::getline(operators >> std::ws, op, ',');) cases.emitted.insert(op);
    }
    return all;
}

std::map<std::string, std::vector<int64_t>> readVersions(const std::filesystem::path& file) {
    std::map<std::string, std::vector<int64_t>> all;
    std::ifstream stream = open(file);
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream words(line);
        std::string op;
        words >> op;
        for (int64_t version = 0; words >> version;) all[op].push_back(version);
    }
    return all;
}

std::string operatorDocument(const std::vector<OperatorRow>& rows,
                             const std::map<std::string, OperatorCases>& cases,
                             const std::map<std::string, std::vector<int64_t>>& versions) {
    const auto countIn = [&](std::string_view domain, auto wanted) {
        return std::count_if(rows.begin(), rows.end(), [&](const OperatorRow& row) {
            return row.domain == domain && wanted(row);
        });
    };
    const auto count = [&](auto wanted) { return countIn(kOnnxDomain, wanted); };
    std::ostringstream stream;
    stream
        << "# Operators\n\n"
        << "In ONNX's default domain, "
        << count([](const OperatorRow& r) { return r.hasForward(); })
        << " operators run forward and "
        << count([](const OperatorRow& r) { return r.hasGradient(); })
        << " have gradients. Those of "
        << count([](const OperatorRow& r) { return r.gradient == kZeroGradient; })
        << " are zero wherever they exist, as in PyTorch, or pass straight through if the user "
           "chooses so. Of ONNX Runtime's own, `com.microsoft`, "
        << countIn(kMicrosoftDomain, [](const OperatorRow& r) { return r.hasForward(); })
        << " run forward and "
        << countIn(kMicrosoftDomain, [](const OperatorRow& r) { return r.hasGradient(); })
        << " have gradients; most others are part of training graphs or compute with "
           "integers.\n\n"
        << "This table is made by `tools/make_operator_docs.sh` from the registries and from "
           "what the tests ran.\n\n"
        << "- **versions**: those of opsets 9 to 28; each is implemented as specified.\n"
        << "- **gradient**: whether gradients pass the operator, or why not.\n"
        << "- **its operators**: the operators of the backward passes in the tests; operators of "
           "`com.microsoft` are ONNX Runtime's own.\n"
        << "- **tested**: ONNX's recorded tests that pass, with the types of their inputs; "
           "gradients that agree with finite differences in float64, with shapes of their "
           "inputs. Those of quantized integers agree with PyTorch and with the same computation "
           "on "
           "numbers instead.\n";
    std::set<std::string> domains;
    for (const OperatorRow& row : rows) domains.insert(row.domain);
    for (const std::string& domain : domains) writeTable(stream, domain, rows, cases, versions);
    return stream.str();
}

std::map<std::string, std::string> documentedGradients(const std::string& document) {
    std::map<std::string, std::string> gradients;
    std::istringstream stream(document);
    for (std::string line; std::getline(stream, line);) {
        if (!line.starts_with("| ") || line.starts_with("| operator |")) continue;
        const std::vector<std::string> cells = fieldsOf(line, '|');
        const auto trimmed = [](const std::string& cell) {
            return cell.substr(1, cell.size() - 2);
        };
        gradients[trimmed(cells.at(1))] = trimmed(cells.at(3)) + "; " + trimmed(cells.at(4));
    }
    return gradients;
}

}  // namespace temper::test
