// SPDX-License-Identifier: Apache-2.0
#include "engine/plugins/plugin_data.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "engine/plugins/plugin_handles.h"
#include "engine/plugins/plugin_types.h"

namespace temper {
namespace {

/// An open file of a plugin's format.
class PluginDataset final : public Dataset {
public:
    PluginDataset(const TemperDataFormat& format, std::string path, const DataSpec& spec)
        : format_(format), path_(std::move(path)) {
        std::vector<TemperOption> options;
        for (const DataOption& known : pluginOptions(format)) {
            const auto found = spec.options.find(known.key);
            if (found != spec.options.end())
                options.push_back({found->first.c_str(), found->second.c_str()});
        }
        call([&](TemperError* error) {
            return format_.open(path_.c_str(), options.data(), static_cast<int32_t>(options.size()),
                                &data_, error);
        });
        try {
            describe();
        } catch (...) {
            format_.close(data_);
            throw;
        }
    }
    ~PluginDataset() override { format_.close(data_); }
    PluginDataset(const PluginDataset&) = delete;
    PluginDataset& operator=(const PluginDataset&) = delete;

    static std::vector<DataOption> pluginOptions(const TemperDataFormat& format) {
        std::vector<DataOption> options;
        for (int32_t i = 0; i < format.option_count; ++i)
            options.push_back({textOf(format.options[i].key), textOf(format.options[i].help)});
        return options;
    }

    int64_t size() const override { return size_; }
    const std::vector<Column>& columns() const override { return columns_; }
    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        call([&](TemperError* error) {
            return format_.read(data_, static_cast<int32_t>(column), samples.data(),
                                static_cast<int64_t>(samples.size()), target, error);
        });
    }

private:
    template <typename F>
    void call(F&& function) const {
        callPlugin("File '" + path_ + "'", std::forward<F>(function));
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(ErrorCode::InvalidInput, "File '" + path_ + "': " + what);
    }

    void describe() {
        size_ = format_.sample_count(data_);
        if (size_ <= 0) refuse("it has no samples.");
        const int32_t count = format_.column_count(data_);
        for (int32_t i = 0; i < count; ++i) {
            TemperColumn given{};
            format_.column(data_, i, &given);
            columns_.push_back(columnOf(given));
        }
        if (columns_.empty()) refuse("it has no columns.");
    }

    Column columnOf(const TemperColumn& given) const {
        if (given.class_count < 0 || (given.class_count > 0 && given.classes == nullptr))
            refuse("a column lacks the names of its classes.");
        Column column;
        column.name = textOf(given.name);
        if (column.name.empty()) refuse("a column has no name.");
        TensorType type = concreteType(given.type);
        column.dtype = type.dtype;
        column.shape = std::move(type.shape);
        for (int32_t i = 0; i < given.class_count; ++i)
            column.classes.push_back(textOf(given.classes[i]));
        column.isTarget = given.is_target != 0;
        column.isImage = given.is_image != 0;
        return column;
    }

    TemperDataFormat format_;
    std::string path_;
    void* data_ = nullptr;
    int64_t size_ = 0;
    std::vector<Column> columns_;
};

}  // namespace

void requireValid(const TemperDataFormat& format) {
    const std::string key = textOf(format.key);
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorCode::InvalidInput, "Its data format '" + key + "' " + what);
    };
    if (key.empty() || !std::ranges::all_of(key, [](char c) { return c >= 'a' && c <= 'z'; }))
        refuse("has an empty key, or one with characters other than a to z.");
    const bool isComplete = format.recognises && format.open && format.sample_count &&
                            format.column_count && format.column && format.read && format.close;
    if (!isComplete) refuse("lacks a function.");
    if (format.option_count < 0 || (format.option_count > 0 && format.options == nullptr))
        refuse("lacks its options.");
    for (int32_t i = 0; i < format.option_count; ++i) {
        if (textOf(format.options[i].key).empty()) refuse("has an option without a key.");
    }
}

DataFormat pluginDataFormat(const TemperDataFormat& format) {
    DataFormat result;
    result.kind = {textOf(format.key), textOf(format.label), PluginDataset::pluginOptions(format)};
    result.recognises = [format](const std::string& path, const FileResolver&) {
        return format.recognises(path.c_str()) == 1;
    };
    result.read = [format](const DataSpec& spec, const ReadContext&) {
        const auto open = [&](const std::string& path) {
            std::error_code ignored;
            if (!std::filesystem::exists(path, ignored))
                throw Error(ErrorCode::NotFound, "File or folder '" + path + "' does not exist.");
            return std::make_shared<const PluginDataset>(format, path, spec);
        };
        DataParts parts;
        parts.training = open(spec.path);
        return parts;
    };
    return result;
}

}  // namespace temper
