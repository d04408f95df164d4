// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/lower_case.h"
#include "engine/data/data_file.h"
#include "engine/data/hash.h"
#include "engine/data/zip_handles.h"
#include "engine/runs/run_journal.h"
#include "engine/runs/run_store.h"
#include "engine/training/projects/project_archive.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProjectName = "project.json";
constexpr const char* kMarkName = ".unpacked-from";  ///< the hash of the archive
constexpr const char* kAskAgain = "Get the file again, or save its project again.";

constexpr zip_int64_t kMaxFiles = 100'000;
constexpr size_t kLongestName = 1024;
constexpr size_t kLongestComponent = 255;
constexpr uint64_t kAlwaysFits = 64 << 20;  ///< unpacked bytes that are always allowed
constexpr uint64_t kMaxGrowth = 200;        ///< maximum expansion beyond that
constexpr size_t kPiece = 1 << 20;
constexpr int kMaxFolders = 1000;  ///< of one name

Error badArchive(const std::string& archive, const std::string& problem) {
    return badFile(archive, problem, kAskAgain);
}

/// Archives come from elsewhere: a name has to mean the same file on every system, within the
/// folder.
bool isPlainComponent(std::string_view part) {
    const auto isOdd = [](unsigned char letter) {
        return letter < ' ' || letter == 0x7F || letter == '\\' || letter == ':';
    };
    return !part.empty() && part.size() <= kLongestComponent && !part.starts_with('.') &&
           std::ranges::none_of(part, isOdd);
}

bool isPlainName(std::string_view name) {
    if (name.size() > kLongestName) return false;
    for (size_t begin = 0; begin <= name.size();) {
        const size_t end = std::min(name.find('/', begin), name.size());
        if (!isPlainComponent(name.substr(begin, end - begin))) return false;
        begin = end + 1;
    }
    return true;
}

/// Whether the bytes are UTF-8; overlong forms and surrogates pass, as they only name files.
bool isUtf8(std::string_view text) {
    int follow = 0;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool follows = (byte & 0xC0U) == 0x80U;
        if (follows != (follow > 0)) return false;
        if (follows) {
            --follow;
        } else if (byte >= 0xF8U) {
            return false;
        } else {
            follow = byte >= 0xF0U ? 3 : byte >= 0xE0U ? 2 : byte >= 0xC0U ? 1 : 0;
        }
    }
    return follow == 0;
}

/// Bytes that a message may show.
std::string shown(std::string_view name) {
    constexpr size_t kShown = 80;
    std::string text;
    for (const char letter : name.substr(0, kShown)) {
        const auto byte = static_cast<unsigned char>(letter);
        text += byte >= ' ' && byte < 0x7F ? letter : '?';
    }
    return name.size() > kShown ? text + "..." : text;
}

ZipArchive openedArchive(std::span<const std::byte> bytes, const std::string& name) {
    if (bytes.empty()) throw badArchive(name, "is empty; expected a project as one file");
    ZipError error;
    ZipSource source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error.error));
    ZipArchive archive(source ? zip_open_from_source(source.get(), ZIP_RDONLY, &error.error)
                              : nullptr);
    if (!archive) {
        throw badArchive(name, "is not a project as one file: " + error.text());
    }
    std::ignore = source.release();  // now owned by the archive
    return archive;
}

/// Checks all entries before anything is written.
class ArchiveCheck {
public:
    ArchiveCheck(zip_t* archive, size_t archiveBytes, const std::string& name)
        : archive_(archive), archiveBytes_(archiveBytes), name_(name) {}

    std::vector<ArchivedFile> run() {
        const zip_int64_t count = zip_get_num_entries(archive_, 0);
        if (count > kMaxFiles) {
            throw badArchive(name_, "holds " + counted(count, "file") + "; expected at most " +
                                        std::to_string(kMaxFiles));
        }
        for (zip_int64_t i = 0; i < count; ++i) take(static_cast<zip_uint64_t>(i));
        checkFolders();
        const bool isProject = std::ranges::any_of(
            files_, [](const ArchivedFile& file) { return file.name == kProjectName; });
        if (!isProject) {
            throw badArchive(name_, std::string("holds no '") + kProjectName +
                                        "'; expected a project as one file");
        }
        return std::move(files_);
    }

private:
    void take(zip_uint64_t index) {
        const char* raw = zip_get_name(archive_, index, ZIP_FL_ENC_RAW);
        if (raw == nullptr) {
            throw badArchive(name_, "has a damaged directory at entry " + std::to_string(index));
        }
        std::string entry = raw;
        const bool isFolder = entry.ends_with('/');
        if (isFolder) entry.pop_back();
        if (!isPlainName(entry) || !isUtf8(entry)) {
            throw badArchive(name_, "holds '" + shown(entry) + "', which is not a plain file name");
        }
        if (!names_.insert(lowerCase(entry)).second) {
            throw badArchive(name_, "holds '" + shown(entry) + "' twice");
        }
        refuseLinks(index, entry);
        if (isFolder) return;
        files_.push_back({entry, sizeOf(index, entry)});
        fileNames_.insert(lowerCase(entry));
    }

    void refuseLinks(zip_uint64_t index, const std::string& entry) const {
        zip_uint8_t system = 0;
        zip_uint32_t attributes = 0;
        if (zip_file_get_external_attributes(archive_, index, 0, &system, &attributes) != 0) return;
        if (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X) return;
        const auto mode = static_cast<mode_t>(attributes >> 16U);
        const bool isPlain = (mode & S_IFMT) == 0 || S_ISREG(mode) || S_ISDIR(mode);
        if (!isPlain)
            throw badArchive(name_, "holds '" + shown(entry) + "', which is not a plain file");
    }

    uint64_t sizeOf(zip_uint64_t index, const std::string& entry) {
        constexpr zip_uint64_t kNeeded =
            ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
        zip_stat_t info;
        zip_stat_init(&info);
        if (zip_stat_index(archive_, index, 0, &info) != 0 || (info.valid & kNeeded) != kNeeded) {
            throw badArchive(name_, "has a damaged directory at entry " + std::to_string(index));
        }
        if (info.encryption_method != ZIP_EM_NONE) {
            throw badArchive(name_, "holds '" + shown(entry) + "' encrypted");
        }
        if (info.comp_method != ZIP_CM_STORE && info.comp_method != ZIP_CM_DEFLATE) {
            throw badArchive(name_, "holds '" + shown(entry) + "' packed with method " +
                                        std::to_string(info.comp_method) +
                                        "; expected stored (0) or deflated (8)");
        }
        const bool isTooLarge = __builtin_add_overflow(total_, info.size, &total_) ||
                                info.comp_size > archiveBytes_ ||
                                info.size / kMaxDeflateRatio > info.comp_size + 1 ||
                                (total_ > kAlwaysFits && total_ / kMaxGrowth > archiveBytes_);
        if (isTooLarge) {
            throw badArchive(name_, "claims " + counted(info.size, "byte") + " for '" +
                                        shown(entry) + "', more than an archive of " +
                                        counted(archiveBytes_, "byte") + " may unpack to");
        }
        return info.size;
    }

    /// A name can't be a file and a folder.
    void checkFolders() const {
        for (const ArchivedFile& file : files_) {
            for (size_t at = file.name.find('/'); at != std::string::npos;
                 at = file.name.find('/', at + 1)) {
                const std::string folder = file.name.substr(0, at);
                if (fileNames_.contains(lowerCase(folder))) {
                    throw badArchive(name_,
                                     "holds '" + shown(folder) + "' as a file and as a folder");
                }
            }
        }
    }

    zip_t* archive_;
    uint64_t archiveBytes_;
    const std::string& name_;
    std::vector<ArchivedFile> files_;
    std::set<std::string> names_;      ///< in lower case
    std::set<std::string> fileNames_;  ///< likewise, without folders
    uint64_t total_ = 0;
};

class Unpacker {
public:
    Unpacker(std::span<const std::byte> bytes, const std::string& name,
             const ArchiveProgress& progress)
        : name_(name), progress_(progress), archive_(openedArchive(bytes, name)) {
        files_ = ArchiveCheck(archive_.get(), bytes.size(), name_).run();
        for (const ArchivedFile& file : files_) total_ += file.bytes;
    }

    void unpackInto(const fs::path& folder) {
        for (const ArchivedFile& file : files_) unpack(file, folder);
        keepCheckpointsInside(folder);
        forgetRunsOutside(folder);
    }

private:
    void unpack(const ArchivedFile& file, const fs::path& folder) {
        const zip_int64_t index = zip_name_locate(archive_.get(), file.name.c_str(), 0);
        const ZipEntry entry(
            index < 0 ? nullptr
                      : zip_fopen_index(archive_.get(), static_cast<zip_uint64_t>(index), 0));
        if (!entry) throw cannotUnpack(file.name, zip_strerror(archive_.get()));
        const fs::path path = folder / file.name;
        ensureFolder(path.parent_path());
        AtomicFile target(path);
        std::vector<std::byte> piece(std::min<uint64_t>(kPiece, std::max<uint64_t>(1, file.bytes)));
        for (uint64_t left = file.bytes; left > 0;) {
            report();
            const zip_int64_t got =
                zip_fread(entry.get(), piece.data(), std::min<uint64_t>(piece.size(), left));
            if (got <= 0) {
                throw cannotUnpack(file.name,
                                   got < 0 ? zip_file_strerror(entry.get()) : "it ends early");
            }
            target.write(std::span<const std::byte>(piece).first(static_cast<size_t>(got)));
            left -= static_cast<uint64_t>(got);
            done_ += static_cast<uint64_t>(got);
        }
        // The checksum is verified at the end of the data.
        std::byte none{};
        if (zip_fread(entry.get(), &none, 1) < 0) {
            throw cannotUnpack(file.name, zip_file_strerror(entry.get()));
        }
        target.commit();
    }

    Error cannotUnpack(const std::string& file, const std::string& why) const {
        return badArchive(name_, "holds '" + shown(file) + "', which can't be unpacked: " + why);
    }

    void report() const {
        const double share =
            total_ == 0 ? 1 : static_cast<double>(done_) / static_cast<double>(total_);
        if (progress_ && !progress_(share)) {
            throw Error(ErrorCode::State, "'" + name_ + "': unpacking was cancelled.");
        }
    }

    /// A foreign project writes only into its own folder.
    void keepCheckpointsInside(const fs::path& folder) const {
        ProjectFile project = readProject(folder);
        std::string& saves = project.spec.run.saveFolder;
        if (saves.empty()) return;
        const fs::path inside = fs::path(saves).lexically_relative(fs::absolute(folder));
        if (!inside.empty() && *inside.begin() != "..") return;
        saves.clear();
        writeProject(project, folder);
    }

    /// Deleting a run deletes its folder: a foreign project must not name one elsewhere.
    static void forgetRunsOutside(const fs::path& folder) {
        if (!fs::exists(runStorePath(folder))) return;
        RunStore store(runStorePath(folder));
        for (const StoredRun& run : store.runs()) {
            if (!isPlainName(run.folder)) store.erase(run.id);
        }
    }

    std::string name_;
    const ArchiveProgress& progress_;
    ZipArchive archive_;
    std::vector<ArchivedFile> files_;
    uint64_t total_ = 0;
    uint64_t done_ = 0;
};

/// Holds what is unpacked until it gets its name; removed if that fails.
class NewFolder {
public:
    explicit NewFolder(const fs::path& parent) {
        ensureFolder(parent);
        std::string pattern = (parent / ".temper-unpacking-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) {
            throw Error(ErrorCode::Io, "Folder '" + parent.string() + "' can't be written to.",
                        "Choose another folder, or check its permissions.");
        }
        path_ = pattern;
    }
    ~NewFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;

    const fs::path& path() const { return path_; }

    /// False if something of that name already exists.
    bool rename(const fs::path& target) {
        std::error_code error;
        if (fs::exists(target, error)) return false;
        fs::rename(path_, target, error);
        if (error) return false;
        path_.clear();
        return true;
    }

private:
    fs::path path_;
};

std::string markOf(std::span<const std::byte> bytes) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx",
                  static_cast<unsigned long long>(hashBytes(bytes)));
    return text.data();
}

bool wasUnpackedFrom(const fs::path& folder, const std::string& mark) {
    std::error_code none;
    const fs::path path = folder / kMarkName;
    return isProjectFolder(folder) && fs::is_regular_file(path, none) && readFile(path) == mark;
}

fs::path folderNamed(const fs::path& parent, const std::string& stem, int number) {
    return parent / (number == 1 ? stem : stem + " " + std::to_string(number));
}

}  // namespace

std::vector<ArchivedFile> archivedFiles(std::span<const std::byte> bytes, const std::string& name) {
    const ZipArchive archive = openedArchive(bytes, name);
    return ArchiveCheck(archive.get(), bytes.size(), name).run();
}

UnpackedProject unpackProject(const fs::path& archive, const fs::path& parent,
                              const ArchiveProgress& progress) {
    const auto file = MappedFile::open(archive);
    Unpacker unpacker(file->bytes(), archive.string(), progress);
    const std::string mark = markOf(file->bytes());
    const std::string stem = archive.stem().string();
    for (int number = 1; number <= kMaxFolders; ++number) {
        const fs::path folder = folderNamed(parent, stem, number);
        if (!fs::exists(folder)) break;
        if (wasUnpackedFrom(folder, mark)) return {folder, true};
    }
    NewFolder made(parent);
    unpacker.unpackInto(made.path());
    writeFileAtomically(made.path() / kMarkName, mark);
    fs::permissions(made.path(), fs::perms::all & ~fs::perms::others_write &
                                     ~fs::perms::group_write);  // mkdtemp() permits only the owner
    for (int number = 1; number <= kMaxFolders; ++number) {
        const fs::path folder = folderNamed(parent, stem, number);
        if (made.rename(folder)) return {folder, false};
    }
    throw Error(
        ErrorCode::Io,
        "'" + archive.string() + "' can't be unpacked: no free name in '" + parent.string() + "'.",
        "Choose another folder.");
}

}  // namespace temper
