// SPDX-License-Identifier: Apache-2.0
#include "engine/data/csv_table.h"

#include <csv.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <exception>
#include <numeric>
#include <set>

#include "engine/core/counted.h"
#include "engine/core/interruption.h"
#include "engine/data/csv_dialect.h"
#include "engine/data/data_file.h"

namespace temper {

/// Throws if the file is of another kind, such as a spreadsheet program's own format.
void requireText(std::span<const std::byte> bytes, const std::string& name) {
    constexpr size_t kLooked = 4096;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                std::min(bytes.size(), kLooked));
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
        throw badFile(name, "is text in UTF-16; expected UTF-8", "Save it as CSV in UTF-8.");
    }
    if (text.starts_with("PK\x03\x04") || text.find('\0') != std::string_view::npos) {
        throw badFile(name, "is binary; expected a table as text",
                      "Save the sheet of a spreadsheet program as CSV.");
    }
}

/// Collects the fields that libcsv reports and counts lines.
class CsvParser {
public:
    CsvParser(const std::string& name, const CsvFormat& format) : format_(format) {
        table_.name_ = name;
        csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL);
        csv_set_delim(&parser_, static_cast<unsigned char>(format.separator));
    }
    ~CsvParser() { csv_free(&parser_); }
    CsvParser(const CsvParser&) = delete;
    CsvParser& operator=(const CsvParser&) = delete;

    CsvTable run(std::span<const std::byte> bytes) {
        if (beginsWithMark(bytes)) bytes = bytes.subspan(3);
        const size_t done = csv_parse(&parser_, bytes.data(), bytes.size(), &CsvParser::onField,
                                      &CsvParser::onRowEnd, this);
        rethrow();
        if (done != bytes.size()) {
            throw at(line_, csv_error(&parser_) == CSV_EPARSE
                                ? "has a quote inside a field that is not quoted"
                                : csv_strerror(csv_error(&parser_)));
        }
        if (csv_fini(&parser_, &CsvParser::onField, &CsvParser::onRowEnd, this) != 0) {
            throw at(rowLine_, "has a quoted field without closing quote");
        }
        rethrow();
        return finish();
    }

private:
    /// The byte order mark that spreadsheet programs write.
    static bool beginsWithMark(std::span<const std::byte> bytes) {
        return bytes.size() >= 3 && bytes[0] == std::byte{0xEF} && bytes[1] == std::byte{0xBB} &&
               bytes[2] == std::byte{0xBF};
    }

    // libcsv is C: exceptions must not pass through it, so they wait in error_
    static void onField(void* text, size_t size, void* self) {
        static_cast<CsvParser*>(self)->guarded([=](CsvParser& parser) {
            parser.addField({static_cast<const char*>(text), text == nullptr ? 0 : size});
        });
    }

    static void onRowEnd(int character, void* self) {
        static_cast<CsvParser*>(self)->guarded(
            [=](CsvParser& parser) { parser.endRow(character); });
    }

    template <typename F>
    void guarded(F&& action) {
        if (error_) return;
        try {
            action(*this);
        } catch (...) {
            error_ = std::current_exception();
        }
    }

    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

    void addField(std::string_view field) {
        if (fields_ == 0) rowLine_ = line_;
        ++fields_;
        table_.begins_.push_back(table_.text_.size());
        table_.text_ += format_.separator == ';' ? withDecimalPoint(field) : std::string(field);
        line_ += std::count(field.begin(), field.end(), '\n');
        lastEnd_ = 0;
    }

    void endRow(int character) {
        const bool isSecondOfPair = character == '\n' && lastEnd_ == '\r' && fields_ == 0;
        if (fields_ > 0) closeRow();
        if (!isSecondOfPair) ++line_;
        lastEnd_ = character;
    }

    void closeRow() {
        InterruptionScope::check();
        if (width_ == 0) {
            width_ = fields_;
            openTable();
        } else {
            if (fields_ != width_) {
                throw at(rowLine_, "has " + counted(fields_, "field") + "; expected " +
                                       std::to_string(width_) + " as in the first row");
            }
            table_.lines_.push_back(rowLine_);
        }
        fields_ = 0;
    }

    std::string_view fieldOfFirstRow(size_t index) const {
        const std::vector<size_t>& begins = table_.begins_;
        const size_t end = index + 1 < begins.size() ? begins[index + 1] : table_.text_.size();
        return std::string_view(table_.text_).substr(begins[index], end - begins[index]);
    }

    /// The first row: names of the columns, or data.
    void openTable() {
        bool hasText = false;
        std::vector<double> numbers;
        for (size_t i = 0; i < width_; ++i) {
            const std::string_view field = fieldOfFirstRow(i);
            if (isMissing(field)) continue;
            const std::optional<double> number = parseNumber(field);
            hasText = hasText || !number;
            if (number) numbers.push_back(*number);
        }
        if (!format_.hasHeader.value_or(hasText)) {
            for (size_t i = 1; i <= width_; ++i) {
                table_.columns_.push_back("column" + std::to_string(i));
            }
            table_.lines_.push_back(rowLine_);
            return;
        }
        table_.hasDoubtfulHeader_ = !format_.hasHeader && !numbers.empty() && !countUp(numbers);
        std::set<std::string> seen;
        for (size_t i = 0; i < width_; ++i) {
            table_.columns_.emplace_back(fieldOfFirstRow(i));
            if (!seen.insert(table_.columns_.back()).second) {
                throw at(rowLine_, "names the column '" + table_.columns_.back() + "' twice",
                         numbers.empty() ? "Rename one of them."
                                         : "If the row is a sample, add header=no.");
            }
        }
        table_.begins_.clear();
        table_.text_.clear();
    }

    /// Columns may be called 0, 1, 2, ..., or by years.
    static bool countUp(const std::vector<double>& numbers) {
        for (size_t i = 1; i < numbers.size(); ++i) {
            if (numbers[i] != numbers[i - 1] + 1) return false;
        }
        return numbers.front() == std::floor(numbers.front());
    }

    CsvTable finish() {
        if (table_.lines_.empty()) {
            throw badFile(table_.name_,
                          width_ == 0 ? "is empty; expected a table" : "has a header but no rows");
        }
        table_.begins_.push_back(table_.text_.size());
        table_.sortNames();
        return std::move(table_);
    }

    Error at(int64_t line, const std::string& problem, const std::string& hint = {}) const {
        return {ErrorCode::InvalidInput,
                "File '" + table_.name_ + "', line " + std::to_string(line) + ": the row " +
                    problem + ".",
                hint};
    }

    CsvFormat format_;
    CsvTable table_;
    csv_parser parser_{};
    std::exception_ptr error_;
    size_t width_ = 0;   // fields of the first row
    size_t fields_ = 0;  // of the current row
    int64_t line_ = 1;
    int64_t rowLine_ = 1;
    int lastEnd_ = 0;
};

CsvTable CsvTable::parse(std::span<const std::byte> bytes, const std::string& name,
                         const CsvFormat& format) {
    requireText(bytes, name);
    return CsvParser(name, format).run(bytes);
}

CsvTable CsvTable::fromFields(std::string name, std::vector<std::string> columns,
                              const std::vector<std::string>& fields, std::vector<int64_t> lines) {
    TEMPER_ASSERT(fields.size() == columns.size() * lines.size(), "each line has all fields");
    CsvTable table;
    table.name_ = std::move(name);
    table.columns_ = std::move(columns);
    table.lines_ = std::move(lines);
    for (const std::string& field : fields) {
        table.begins_.push_back(table.text_.size());
        table.text_ += field;
    }
    table.begins_.push_back(table.text_.size());
    table.sortNames();
    return table;
}

std::optional<size_t> CsvTable::findColumn(std::string_view name) const {
    const auto nameOf = [this](size_t column) -> std::string_view { return columns_[column]; };
    const auto found = std::ranges::lower_bound(byName_, name, {}, nameOf);
    if (found == byName_.end() || nameOf(*found) != name) return std::nullopt;
    return *found;
}

void CsvTable::sortNames() {
    byName_.resize(columns_.size());
    std::iota(byName_.begin(), byName_.end(), size_t{0});
    std::ranges::stable_sort(
        byName_, {}, [this](size_t column) -> std::string_view { return columns_[column]; });
}

std::string_view CsvTable::field(size_t row, size_t column) const {
    const size_t index = row * columns_.size() + column;
    return std::string_view(text_).substr(begins_[index], begins_[index + 1] - begins_[index]);
}

std::string CsvTable::place(size_t row, size_t column) const {
    return "line " + std::to_string(line(row)) + ", column '" + columns_[column] + "'";
}

bool isMissing(std::string_view field) {
    constexpr std::array<std::string_view, 8> kMarks = {"",    "NA",  "N/A",  "NaN",
                                                        "nan", "NAN", "null", "?"};
    return std::find(kMarks.begin(), kMarks.end(), field) != kMarks.end();
}

std::optional<double> parseNumber(std::string_view field) {
    if (field.starts_with('+')) field.remove_prefix(1);
    double value = 0;
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (error != std::errc() || stop != end || field.empty()) return std::nullopt;
    return value;
}

}  // namespace temper
