// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/folder.h"
#include "engine/core/lower_case.h"
#include "engine/data/data_formats.h"
#include "engine/data/data_spec.h"
#include "engine/data/zip_handles.h"
#include "engine/onnx/external_files.h"
#include "engine/runs/run_journal.h"
#include "engine/runs/run_store.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_archive.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

/// Stands for the folder that the archive is unpacked into: paths in it are relative to it, all
/// others stay absolute.
const fs::path kArchiveRoot = "/temper-archive";

constexpr double kShareOfPacking = 0.9;  // the rest is copying to the destination
constexpr size_t kPieceBytes = 1 << 22;

fs::path normalized(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

/// The path relative to the folder; empty if it is outside.
std::string nameInside(const fs::path& folder, const fs::path& path) {
    if (folder.empty() || path.empty()) return {};
    const fs::path relative = normalized(path).lexically_relative(normalized(folder));
    return relative.empty() || *relative.begin() == ".." ? std::string()
                                                         : relative.generic_string();
}

/// A folder next to the target for work in progress, removed at the end.
class WorkFolder {
public:
    explicit WorkFolder(const fs::path& parent) {
        std::string pattern = (parent / ".temper-packing-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) {
            throw Error(ErrorCode::Io, "Folder '" + parent.string() + "' can't be written to.",
                        "Choose another folder, or check its permissions.");
        }
        path_ = pattern;
    }
    ~WorkFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// The files of data on the disk: what its reader opens, or all pictures of a folder.
/// Returns: nothing if they can't be determined, such as for a table of pictures.
std::optional<std::set<fs::path>> filesOfData(const DataSpec& spec) {
    std::set<fs::path> files;
    std::error_code ignored;
    if (spec.kind == "images") {
        if (!fs::is_directory(spec.path, ignored)) return std::nullopt;
        for (auto entry = fs::recursive_directory_iterator(spec.path, ignored);
             entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
            if (entry->is_regular_file(ignored) && !entry->is_symlink(ignored)) {
                files.insert(entry->path());
            }
        }
        return files;
    }
    const FileResolver watch = [&files](const std::string& path) {
        std::error_code none;
        if (fs::is_regular_file(path, none)) files.insert(path);
        return std::nullopt;
    };
    readParts(spec, {watch});
    return files;
}

int64_t bytesOf(const std::set<fs::path>& files) {
    int64_t bytes = 0;
    for (const fs::path& file : files) bytes += static_cast<int64_t>(fs::file_size(file));
    return bytes;
}

class Packer {
public:
    Packer(const ProjectFile& project, const fs::path& folder, const PackOptions& options,
           const ArchiveProgress& progress)
        : project_(project), folder_(folder), options_(options), progress_(progress) {}

    PackedProject pack(const fs::path& target) {
        const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
        const WorkFolder work(parent);
        addModel();
        addData(project_.spec.run.data);
        addData(project_.spec.run.evalData);
        texts_ = options_.texts;
        texts_["project.json"] = toJson(relocated(project_), kArchiveRoot);
        if (options_.withRuns) addRuns(work.path());
        const fs::path archive = work.path() / "archive.zip";
        write(archive);
        moveTo(target, archive);
        return std::move(result_);
    }

private:
    void report(double share) const {
        if (progress_ && !progress_(share)) {
            throw Error(ErrorCode::State, "Packing the project was cancelled.");
        }
    }

    /// Files in the project's folder keep their name.
    void addFile(const fs::path& path, const std::string& proposed) {
        const fs::path whole = normalized(path);
        if (names_.contains(whole)) return;
        std::string name = nameInside(folder_, whole);
        if (name.empty()) name = proposed;
        for (int number = 2; !taken_.insert(lowerCase(name)).second; ++number) {
            name = "files-" + std::to_string(number) + "/" + proposed;
        }
        names_[whole] = name;
    }

    void addModel() {
        const fs::path path = project_.spec.model;
        if (path.empty() || path.string().starts_with("lesson:")) return;
        addFile(path, "model/" + path.filename().string());
        for (const std::string& name : externalFilesOf(path)) {
            const std::string own = names_.at(normalized(path));
            const fs::path beside = fs::path(own).parent_path() / name;
            addFile(path.parent_path() / name, beside.lexically_normal().generic_string());
        }
    }

    void addData(const std::string& text) {
        if (text.empty()) return;
        const std::optional<DataSpec> spec = specOf(text);
        if (!spec || spec->path.starts_with("lesson:")) return;
        const auto files = smallFilesOf(*spec);
        if (!files) {
            result_.leftOut.push_back(spec->path);
            return;
        }
        const fs::path base = normalized(spec->path).parent_path();
        for (const fs::path& file : *files) addFile(file, "data/" + nameInside(base, file));
        places_.emplace(normalized(spec->path), nameOfData(spec->path));
    }

    /// Data may be a file, a folder or a common prefix of its files' names.
    std::string nameOfData(const fs::path& path) const {
        const auto file = names_.find(normalized(path));
        if (file != names_.end()) return file->second;
        const std::string inside = nameInside(folder_, path);
        return inside.empty() ? "data/" + normalized(path).filename().string() : inside;
    }

    std::optional<std::set<fs::path>> smallFilesOf(const DataSpec& spec) const {
        std::error_code ignored;
        const uintmax_t whole = fs::file_size(spec.path, ignored);
        if (!ignored && whole > static_cast<uintmax_t>(options_.mostDataBytes)) return std::nullopt;
        try {
            auto files = filesOfData(spec);
            if (!files || files->empty() || bytesOf(*files) > options_.mostDataBytes) {
                return std::nullopt;
            }
            const fs::path base = normalized(spec.path).parent_path();
            const bool areBeside = std::ranges::all_of(
                *files, [&](const fs::path& file) { return !nameInside(base, file).empty(); });
            return areBeside ? std::move(files) : std::nullopt;
        } catch (const Error&) {
            return std::nullopt;  // an invalid choice is kept: reading the data reports it
        }
    }

    static std::optional<DataSpec> specOf(const std::string& text) {
        try {
            return parseDataSpec(text, lessonFiles());
        } catch (const Error&) {
            return std::nullopt;
        }
    }

    std::string relocated(const std::string& path) const {
        if (path.empty() || path.starts_with("lesson:")) return path;
        for (const auto* names : {&names_, &places_}) {
            const auto found = names->find(normalized(path));
            if (found != names->end()) return (kArchiveRoot / found->second).string();
        }
        return path;
    }

    std::string relocatedData(const std::string& text) const {
        std::optional<DataSpec> spec = text.empty() ? std::nullopt : specOf(text);
        if (!spec) return text;
        const std::string path = relocated(spec->path);
        if (path == spec->path) return text;
        spec->path = path;
        const auto test = spec->options.find("test");
        if (test != spec->options.end()) test->second = relocated(test->second);
        return formatDataSpec(*spec);
    }

    ProjectFile relocated(ProjectFile project) const {
        TrainingSpec& spec = project.spec;
        spec.model = relocated(spec.model);
        spec.run.data = relocatedData(spec.run.data);
        spec.run.evalData = relocatedData(spec.run.evalData);
        const std::string inside = nameInside(folder_, spec.run.saveFolder);
        const bool isInside = !spec.run.saveFolder.empty() && !inside.empty();
        spec.run.saveFolder = isInside ? (kArchiveRoot / inside).string() : std::string();
        return project;
    }

    void addRuns(const fs::path& work) {
        if (folder_.empty() || !fs::exists(runStorePath(folder_))) return;
        const fs::path copy = runStorePath(work);
        std::set<std::string> kept;
        RunStore(runStorePath(folder_)).copyTo(copy, [&](const StoredRun& run) {
            kept.insert(run.folder);
            return relocatedSpec(run.spec);
        });
        names_[normalized(copy)] = "runs.sqlite";
        for (const std::string& folder : kept) {
            for (const auto& entry : entriesOf(folder_ / folder)) addRunFile(entry);
        }
    }

    void addRunFile(const fs::directory_entry& entry) {
        std::error_code ignored;
        const std::string name = nameInside(folder_, entry.path());
        const bool isHidden = entry.path().filename().string().starts_with('.');
        if (!entry.is_regular_file(ignored) || entry.is_symlink(ignored)) return;
        if (!name.empty() && !isHidden) addFile(entry.path(), name);
    }

    std::string relocatedSpec(const std::string& json) const {
        try {
            return json.empty() ? json
                                : toJson(relocated(projectFromJson(json, folder_)), kArchiveRoot);
        } catch (const Error&) {
            return json;  // e.g. of a newer program
        }
    }

    void write(const fs::path& path) {
        ZipError error;
        ZipArchive archive(nullptr);
        int code = 0;
        archive.reset(zip_open(path.c_str(), ZIP_CREATE | ZIP_EXCL, &code));
        if (!archive) {
            zip_error_set(&error.error, code, 0);
            throw cannotWrite(path, error.text());
        }
        for (const auto& [name, text] : texts_) {
            add(archive.get(), name,
                ZipSource(zip_source_buffer(archive.get(), text.data(), text.size(), 0)), true);
        }
        for (const auto& [file, name] : names_) {
            addFromDisk(archive.get(), file, name);
        }
        finish(archive, path);
    }

    void addFromDisk(zip_t* archive, const fs::path& file, const std::string& name) {
        std::error_code missing;
        const uintmax_t size = fs::file_size(file, missing);
        if (missing) {
            throw Error(ErrorCode::NotFound,
                        "'" + file.string() + "' can't be packed: " + missing.message() + ".");
        }
        // A log may grow meanwhile: takes its current size.
        add(archive, name,
            ZipSource(zip_source_file(archive, file.c_str(), 0, static_cast<zip_int64_t>(size))),
            isText(file));
    }

    /// Weights and pictures hardly compress.
    static bool isText(const fs::path& file) {
        static const std::set<std::string> kTexts = {".csv",    ".json", ".jsonl",
                                                     ".sqlite", ".tsv",  ".txt"};
        return kTexts.contains(lowerCase(file.extension().string()));
    }

    static void add(zip_t* archive, const std::string& name, ZipSource source, bool compressed) {
        const zip_int64_t index =
            source ? zip_file_add(archive, name.c_str(), source.get(), ZIP_FL_ENC_UTF_8) : -1;
        if (index < 0) throw cannotWrite(name, zip_strerror(archive));
        std::ignore = source.release();  // now owned by the archive
        const auto at = static_cast<zip_uint64_t>(index);
        zip_file_set_dostime(archive, at, 0, kFirstZipDay, 0);
        zip_set_file_compression(archive, at, compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    }

    void finish(ZipArchive& archive, const fs::path& path) {
        zip_register_progress_callback_with_state(
            archive.get(), 0.01,
            [](zip_t*, double share, void* self) { static_cast<Packer*>(self)->share_ = share; },
            nullptr, this);
        zip_register_cancel_callback_with_state(
            archive.get(),
            [](zip_t*, void* self) {
                const auto* packer = static_cast<Packer*>(self);
                const bool continues =
                    !packer->progress_ || packer->progress_(kShareOfPacking * packer->share_);
                return continues ? 0 : 1;
            },
            nullptr, this);
        if (zip_close(archive.get()) != 0) {
            const zip_error_t* why = zip_get_error(archive.get());
            if (zip_error_code_zip(why) == ZIP_ER_CANCELLED) report(share_);
            throw cannotWrite(path, zip_strerror(archive.get()));
        }
        std::ignore = archive.release();  // closed and freed
    }

    static Error cannotWrite(const fs::path& what, const std::string& why) {
        return {ErrorCode::Io, "'" + what.string() + "' can't be packed: " + why + ".",
                "Check the disk space and that the file is readable."};
    }

    void moveTo(const fs::path& target, const fs::path& archive) {
        const auto file = MappedFile::open(archive);
        AtomicFile copy(target);
        const std::span<const std::byte> bytes = file->bytes();
        for (size_t at = 0; at < bytes.size(); at += kPieceBytes) {
            const double share = static_cast<double>(at) / static_cast<double>(bytes.size());
            report(kShareOfPacking + (1 - kShareOfPacking) * share);
            copy.write(bytes.subspan(at, std::min(kPieceBytes, bytes.size() - at)));
        }
        copy.commit();
        result_.bytes = static_cast<int64_t>(bytes.size());
        if (progress_) progress_(1);
    }

    const ProjectFile& project_;
    const fs::path& folder_;
    const PackOptions& options_;
    const ArchiveProgress& progress_;
    std::map<fs::path, std::string> names_;     ///< in the archive, by whole path
    std::map<fs::path, std::string> places_;    ///< folders of data and prefixes of its names
    std::set<std::string> taken_;               ///< names in lower case
    std::map<std::string, std::string> texts_;  ///< by name
    double share_ = 0;
    PackedProject result_;
};

}  // namespace

bool isProjectArchivePath(const fs::path& path) {
    return lowerCase(path.extension().string()) == kProjectArchiveEnding;
}

PackedProject packProject(const ProjectFile& project, const fs::path& folder,
                          const fs::path& target, const PackOptions& options,
                          const ArchiveProgress& progress) {
    return Packer(project, folder, options, progress).pack(target);
}

}  // namespace temper
