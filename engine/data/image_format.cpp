// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>

#include "engine/core/folder.h"
#include "engine/core/interruption.h"
#include "engine/core/joined.h"
#include "engine/data/data_formats.h"
#include "engine/data/image/image_decoder.h"
#include "engine/data/image_dataset.h"
#include "engine/data/left_out_files.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kTrainingFolders = {"train", "training", "Training"};
constexpr std::array<std::string_view, 6> kEvaluationFolders = {"val",  "valid",      "validation",
                                                                "test", "Validation", "Test"};

const std::vector<DataOption>& imageOptions() {
    static const std::vector<DataOption> kOptions = {
        {"size", "WIDTHxHEIGHT or one number of pixels; the model's, else the first picture's."},
        {"channels", "1 (grey) or 3 (colours); the model's, else the first picture's."},
        {"fit", "crop (the middle), stretch or pad pictures of another aspect ratio."},
        {"layout", "nchw or nhwc: whether channels come first; the model's, else nchw."},
        {"target", "For a table of pictures: the column to predict, or several."},
        {"features", "For a table of pictures: columns to predict from besides the picture."},
        {"sep", "For a table of pictures: character between fields, or tab."},
        {"header", "For a table of pictures: yes or no, whether the first row names columns."},
        {"task", "For a table of pictures: classification or regression."},
        {"missing", "For a table of pictures: refuse, drop (the row) or mean (fill in)."},
    };
    return kOptions;
}

bool isFolder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

std::vector<fs::path> foldersIn(const fs::path& folder) {
    std::vector<fs::path> folders;
    std::error_code error;
    for (const fs::directory_entry& entry : entriesOf(folder)) {
        if (entry.is_directory(error) && !entry.path().filename().string().starts_with('.')) {
            folders.push_back(entry.path());
        }
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

/// Pictures of the folder and those below it, sorted by name.
std::vector<std::string> picturesBelow(const fs::path& folder, LeftOutFiles& leftOut) {
    std::vector<std::string> files;
    std::error_code error;
    fs::recursive_directory_iterator entries(folder, error);
    if (error) {
        throw Error(ErrorCode::Io,
                    "Folder '" + folder.string() + "' can't be read: " + error.message() + ".");
    }
    for (; entries != fs::recursive_directory_iterator(); entries.increment(error)) {
        InterruptionScope::check();
        const std::string name = entries->path().filename().string();
        std::error_code ignored;
        const bool isFile = !name.starts_with('.') && !entries->is_directory(ignored);
        if (isFile && hasImageName(name)) {
            files.push_back(entries->path().string());
        } else if (isFile) {
            leftOut.add(entries->path());
        }
        if (error) break;
    }
    std::sort(files.begin(), files.end());
    return files;
}

template <size_t N>
std::optional<fs::path> subfolder(const fs::path& folder,
                                  const std::array<std::string_view, N>& names) {
    for (const std::string_view name : names) {
        if (isFolder(folder / name)) return folder / name;
    }
    return std::nullopt;
}

/// Looks for a picture in a folder and those below it, at a limited number of entries: somebody may
/// have named the root of the disk.
class PictureSearch {
public:
    /// Looks at `most` entries of each folder below.
    bool finds(const fs::path& folder, int levels, size_t most = kMaxEntries) {
        std::vector<fs::path> folders;
        for (const fs::directory_entry& entry : entriesOf(folder, std::min(most, left_))) {
            --left_;
            const std::string name = entry.path().filename().string();
            if (hasImageName(name)) return true;
            std::error_code error;
            const bool isHidden = name.starts_with('.');
            if (!isHidden && levels > 0 && entry.is_directory(error)) folders.push_back(entry);
        }
        std::sort(folders.begin(), folders.end());
        return std::any_of(folders.begin(), folders.end(), [&](const fs::path& inner) {
            return finds(inner, levels - 1, kMaxEntries / 50);
        });
    }

private:
    static constexpr size_t kMaxEntries = 100'000;
    size_t left_ = kMaxEntries;
};

/// A folder of pictures, or of folders with pictures, one or two levels (train, val) deep.
bool isPictureFolder(const std::string& path) {
    return isFolder(path) && PictureSearch().finds(path, 2);
}

/// A column whose first row names a picture.
std::optional<size_t> pictureColumn(const CsvTable& table) {
    for (size_t i = 0; i < table.columns().size(); ++i) {
        if (table.rows() > 0 && hasImageName(table.field(0, i))) return i;
    }
    return std::nullopt;
}

/// Decided by the first lines: a table may be long.
bool isPictureTable(const std::string& path, const FileResolver& resolver) {
    const std::string name = withoutGzip(path);
    const bool isTsv = name.ends_with(".tsv");
    if ((!isTsv && !name.ends_with(".csv")) || !dataFileExists(path, resolver)) return false;
    try {
        constexpr size_t kLines = 2;
        const DataFile file = openUnpacked(path, resolver);
        size_t end = 0;
        for (size_t line = 0; line < kLines && end < file.bytes.size(); ++end) {
            line += file.bytes[end] == std::byte{'\n'} ? 1 : 0;
        }
        const CsvFormat format{.separator = isTsv ? '\t' : ',', .hasHeader = {}};
        const CsvTable table = CsvTable::parse(file.bytes.first(end), name, format);
        return pictureColumn(table).has_value();
    } catch (const Error&) {
        return false;  // the reader of tables says why
    }
}

// ---- the form of the pictures ------------------------------------------------------------------

Error badSize(const std::string& text) {
    return {ErrorCode::InvalidInput, "The data option 'size' is '" + text +
                                         "'; expected a number of pixels, or WIDTHxHEIGHT."};
}

void applySize(const DataSpec& spec, ImageForm& form) {
    const auto found = spec.options.find("size");
    if (found == spec.options.end()) return;
    constexpr int64_t kMaxSide = 8192;
    const std::string& text = found->second;
    const char* const end = text.data() + text.size();
    std::from_chars_result read = std::from_chars(text.data(), end, form.width);
    form.height = form.width;
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == 'x') {
        read = std::from_chars(read.ptr + 1, end, form.height);
    }
    const bool isValid =
        read.ec == std::errc() && read.ptr == end && form.width > 0 && form.height > 0;
    if (!isValid || std::max(form.width, form.height) > kMaxSide) throw badSize(text);
}

/// Of the first picture; `skips`: of the first readable one.
ImageInfo firstInfo(const std::vector<std::string>& paths, const FileResolver& resolver,
                    bool skips) {
    for (size_t i = 0;; ++i) {
        try {
            const DataFile file = openDataFile(paths[i], resolver);
            return inspectImage({file.bytes, file.name});
        } catch (const Error&) {
            if (!skips || i + 1 == paths.size()) throw;
        }
    }
}

/// From the specification, the data it has to match, the model, the first picture, in this order.
ImageForm formOf(const DataSpec& spec, const ReadContext& context,
                 const std::vector<std::string>& paths) {
    ImageForm form = context.form;
    applySize(spec, form);
    if (spec.options.contains("channels")) {
        form.channels = spec.choice("channels", {"1", "3"}) == "1" ? 1 : 3;
    }
    if (context.same != nullptr) {
        const Column& column = context.same->training->columns()[0];
        if (column.isImage) {
            return {column.shape[0], column.shape[1], column.shape[2], form.channelsLast};
        }
    }
    if (form.channels != 0 && form.width != 0 && form.height != 0) return form;
    const ImageInfo info = firstInfo(paths, context.resolver, dropsInvalid(spec));
    if (form.channels == 0) form.channels = info.channels;
    if (form.width == 0) form.width = info.width;
    if (form.height == 0) form.height = info.height;
    return form;
}

ImageFit fitOf(const DataSpec& spec) {
    const std::string fit = spec.choice("fit", {"crop", "stretch", "pad"});
    return fit == "crop" ? ImageFit::Crop : fit == "pad" ? ImageFit::Pad : ImageFit::Stretch;
}

// ---- folders -----------------------------------------------------------------------------------

Error unknownClass(const std::string& folder, const std::vector<std::string>& classes) {
    return {ErrorCode::InvalidInput,
            "Folder '" + folder + "' is not a class of the training samples.",
            "Known from the training samples: " + joinedQuoted(classes) + "."};
}

/// Labels by the index of the name; `classes` empty: those found.
class FolderReader {
public:
    explicit FolderReader(std::vector<std::string> classes) : known_(std::move(classes)) {}

    void add(const fs::path& folder) {
        const std::vector<std::string> files = picturesBelow(folder, leftOut_);
        if (files.empty()) {
            empty_.push_back(folder.filename().string());
            return;
        }
        const std::string name = folder.filename().string();
        auto found = std::find(known_.begin(), known_.end(), name);
        if (found == known_.end()) {
            if (isFixed_) throw unknownClass(folder.string(), known_);
            found = known_.insert(known_.end(), name);
        }
        labels_.insert(labels_.end(), files.size(), found - known_.begin());
        paths_.insert(paths_.end(), files.begin(), files.end());
    }

    std::vector<std::string>& paths() { return paths_; }
    const std::vector<std::string>& empty() const { return empty_; }
    const LeftOutFiles& leftOut() const { return leftOut_; }

    std::shared_ptr<const Dataset> labels() const {
        Column column;
        column.name = "labels";
        column.isTarget = true;
        column.classes = known_;
        Tensor tensor = Tensor::of<int64_t>({static_cast<int64_t>(labels_.size())}, labels_);
        return std::make_shared<TensorDataset>(std::vector{std::move(column)},
                                               std::vector{std::move(tensor)});
    }

private:
    std::vector<std::string> known_;
    bool isFixed_ = !known_.empty();
    std::vector<std::string> paths_;
    std::vector<int64_t> labels_;
    std::vector<std::string> empty_;
    LeftOutFiles leftOut_;
};

std::vector<std::string> classesOf(const DataParts* same) {
    if (same == nullptr) return {};
    for (const Column& column : same->training->columns()) {
        if (column.isTarget) return column.classes;
    }
    return {};
}

DataParts readClassFolders(const fs::path& folder, const DataSpec& spec,
                           const ReadContext& context) {
    FolderReader reader(classesOf(context.same));
    for (const fs::path& classFolder : foldersIn(folder)) reader.add(classFolder);
    const std::vector<Finding> leftOut = reader.leftOut().findings(folder);
    if (reader.paths().empty()) {
        throw Error(ErrorCode::InvalidInput,
                    "Folder '" + folder.string() + "' has no subfolders with pictures." +
                        (leftOut.empty() ? "" : " " + leftOut.front().message),
                    "Put the pictures of each class into a folder named after it, or use a CSV "
                    "table of files and labels.");
    }
    DataParts parts;
    for (const std::string& name : reader.empty()) {
        parts.findings.push_back(
            {"D112",
             Severity::Warning,
             {},
             {},
             "Folder '" + name + "' contains no pictures and is not used as a class.",
             "Formats are PNG, JPEG, WebP and BMP.",
             {}});
    }
    parts.findings.insert(parts.findings.end(), leftOut.begin(), leftOut.end());
    const ImageForm form = formOf(spec, context, reader.paths());
    parts.training = std::make_shared<ImageDataset>(std::move(reader.paths()), form, fitOf(spec),
                                                    context.resolver, reader.labels());
    return parts;
}

DataParts readFolder(const DataSpec& spec, const ReadContext& context) {
    const std::optional<fs::path> training = subfolder(spec.path, kTrainingFolders);
    if (!training) return readClassFolders(spec.path, spec, context);
    DataParts parts = readClassFolders(*training, spec, context);
    if (const auto evaluation = subfolder(spec.path, kEvaluationFolders)) {
        ReadContext asTraining = context;
        asTraining.same = &parts;
        DataParts other = readClassFolders(*evaluation, spec, asTraining);
        parts.evaluation = std::move(other.training);
        parts.evaluationOrigin = "the folder " + evaluation->filename().string();
        parts.findings.insert(parts.findings.end(), other.findings.begin(), other.findings.end());
    }
    return parts;
}

// ---- tables ------------------------------------------------------------------------------------

/// Paths are relative to the table's folder.
std::string resolvedPath(const std::string& table, std::string_view field) {
    const fs::path path(field);
    if (path.is_absolute()) return path.string();
    return (fs::path(table).parent_path() / path).string();
}

DataParts readPictureTable(const DataSpec& spec, const ReadContext& context) {
    CsvOptions options = tableOptionsOf(spec, context.target);
    if (withoutGzip(spec.path).ends_with(".tsv") && !spec.options.contains("sep")) {
        options.format.separator = '\t';
    }
    const DataFile file = openUnpacked(spec.path, context.resolver);
    const CsvTable table = CsvTable::parse(file.bytes, file.name, options.format);
    const std::optional<size_t> column = pictureColumn(table);
    if (!column) {
        throw badFile(file.name, "has no column of picture files",
                      "Expected a column of paths that end in .png, .jpg, .webp or .bmp.");
    }
    options.keepsFeatures = !options.features.empty();
    options.ignored = {table.columns()[*column]};
    const bool fits = context.same != nullptr && context.same->encoding.has_value();
    CsvData read = readCsv(table, options, fits ? &*context.same->encoding : nullptr);
    std::vector<std::string> paths;
    for (const size_t row : read.rows) {
        paths.push_back(resolvedPath(spec.path, table.field(row, *column)));
        if (dropsInvalid(spec) || dataFileExists(paths.back(), context.resolver)) continue;
        throw badFile(
            table.name(),
            table.place(row, *column) + " names '" + paths.back() + "', which does not exist",
            "Paths are relative to the folder of the table. Add the picture, or add invalid=drop "
            "to the data to skip rows whose picture can't be read.");
    }
    const ImageForm form = formOf(spec, context, paths);
    std::vector<int64_t> lines = linesOf(table, read.rows);
    DataParts parts;
    parts.training =
        std::make_shared<ImageDataset>(std::move(paths), form, fitOf(spec), context.resolver,
                                       withLines(std::move(read.data), std::move(lines)));
    parts.findings = std::move(read.findings);
    parts.encoding = std::move(read.encoding);
    return parts;
}

DataParts readImages(const DataSpec& spec, const ReadContext& context) {
    if (isFolder(spec.path)) return readFolder(spec, context);
    if (dataFileExists(spec.path, context.resolver)) return readPictureTable(spec, context);
    throw Error(ErrorCode::NotFound, "Folder or table '" + spec.path + "' does not exist.",
                "Check the path.");
}

}  // namespace

DataFormat imageFormat() {
    return {{"images", "Pictures (folder per class, or a table of files)", imageOptions()},
            [](const std::string& path, const FileResolver& resolver) {
                return isPictureFolder(path) || isPictureTable(path, resolver);
            },
            readImages};
}

}  // namespace temper
