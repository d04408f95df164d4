// SPDX-License-Identifier: Apache-2.0
#include "engine/core/file_group.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_lock.h"
#include "engine/core/folder.h"
#include "engine/core/output_check.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStaging = ".temper-new-";  ///< followed by a number
constexpr const char* kReady = ".temper-ready";   ///< all files are there
constexpr const char* kReplaced = ".replaced";    ///< within it: the files that were there before
constexpr int kMaxTries = 1000;

std::string reason() { return std::strerror(errno); }

/// "folder/" becomes "folder", and an empty path the current folder.
fs::path orHere(fs::path folder) {
    if (!folder.has_filename() && folder.has_relative_path()) folder = folder.parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

int openFolder(const fs::path& path) {
    return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Closed at the end, releasing its lock.
struct OpenFolder {
    explicit OpenFolder(const fs::path& path) : descriptor(openFolder(path)) {}
    ~OpenFolder() {
        if (descriptor >= 0) ::close(descriptor);
    }
    OpenFolder(const OpenFolder&) = delete;
    OpenFolder& operator=(const OpenFolder&) = delete;

    const int descriptor;
};

void syncFolder(const fs::path& path) {
    const OpenFolder open(path);
    if (open.descriptor >= 0) ::fsync(open.descriptor);
}

bool isThere(const fs::path& path) {
    struct stat info = {};
    return ::lstat(path.c_str(), &info) == 0;
}

void removeAll(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

/// Files in the folder and its subfolders, by their relative paths, without those that were
/// replaced.
/// Throws: Error(Io), as none may be forgotten.
std::vector<fs::path> filesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        if (entry->path().filename() == kReplaced) {
            entry.disable_recursion_pending();
        } else if (!entry->is_directory(ignored)) {
            files.push_back(entry->path().lexically_relative(folder));
        }
    }
    if (error) {
        throw Error(ErrorCode::Io,
                    "Folder '" + folder.string() + "' can't be read: " + error.message() + ".");
    }
    std::ranges::sort(files);
    return files;
}

/// A folder with all files of a group, which will take their places in its parent.
class ReadyGroup {
public:
    explicit ReadyGroup(const fs::path& folder)
        : folder_(folder), ready_(folder / kReady), files_(filesIn(ready_)) {}

    /// Throws: Error(Io). If `mayGoBack`, the files are then as they were, if possible. Those of a
    /// killed program can't go back: some are in their places already.
    void putInPlace(bool mayGoBack) {
        for (size_t i = 0; i < files_.size(); ++i) {
            if (keepReplaced(files_[i]) && rename(ready_ / files_[i], folder_ / files_[i]))
                continue;
            const std::string why = reason();
            throwUnfinished(files_[i], why, mayGoBack && undo(i));
        }
        syncFolder(folder_);
        removeAll(ready_);
    }

private:
    static bool rename(const fs::path& from, const fs::path& to) {
        return ::rename(from.c_str(), to.c_str()) == 0;
    }

    fs::path replacedPath(const fs::path& file) const { return ready_ / kReplaced / file; }

    /// Keeps a second name for the existing file, so that it can be restored.
    bool keepReplaced(const fs::path& file) const {
        const fs::path kept = replacedPath(file);
        std::error_code ignored;
        fs::create_directories((folder_ / file).parent_path(), ignored);
        fs::create_directories(kept.parent_path(), ignored);
        if (!isThere(folder_ / file)) return true;
        ::unlink(kept.c_str());  // left by a killed program
        if (::linkat(AT_FDCWD, (folder_ / file).c_str(), AT_FDCWD, kept.c_str(), 0) == 0)
            return true;
        return rename(folder_ / file, kept);  // a file system without hard links
    }

    /// Takes back the first `count` files and restores what was kept of the next. At any moment
    /// each new file is in its place or still among the ready ones, so that a program killed here
    /// leaves a group that can be finished.
    bool undo(size_t count) const {
        for (size_t i = std::min(count + 1, files_.size()); i-- > 0;) {
            const fs::path target = folder_ / files_[i], ready = ready_ / files_[i];
            const bool isNewHere = i < count;
            if (isNewHere && ::link(target.c_str(), ready.c_str()) != 0 && errno != EEXIST)
                return false;
            if (isThere(replacedPath(files_[i]))) {
                if (!rename(replacedPath(files_[i]), target)) return false;
            } else if (isNewHere && ::unlink(target.c_str()) != 0) {
                return false;
            }
        }
        removeAll(ready_);
        return true;
    }

    [[noreturn]] void throwUnfinished(const fs::path& file, const std::string& why, bool isUndone) {
        throw Error(ErrorCode::Io,
                    "File '" + (folder_ / file).string() + "' can't be written: " + why + ".",
                    isUndone ? "Nothing was changed."
                             : "Some of the new files are in place; the others are in '" +
                                   ready_.string() +
                                   "' and are moved by the next command that can write there.");
    }

    fs::path folder_;
    fs::path ready_;
    std::vector<fs::path> files_;
};

/// Removes what programs left that were killed before all was written. A folder in use is locked.
void removeLeftOvers(const fs::path& folder) {
    for (const fs::directory_entry& entry : entriesOf(folder)) {
        if (!entry.path().filename().string().starts_with(kStaging)) continue;
        const OpenFolder open(entry.path());
        if (open.descriptor < 0) continue;
        if (::flock(open.descriptor, LOCK_EX | LOCK_NB) == 0) removeAll(entry.path());
    }
}

/// A new folder with an unused name.
fs::path makeStaging(const fs::path& folder) {
    std::random_device random;
    for (;;) {
        const fs::path path = folder / (kStaging + std::to_string(random()));
        if (::mkdir(path.c_str(), 0777) == 0) return path;
        if (errno == EEXIST) continue;
        throw Error(ErrorCode::Io,
                    "Folder '" + folder.string() + "' can't be written to: " + reason() + ".",
                    errno == ENOSPC ? "Free some space; nothing was changed."
                                    : "Check that it is writable.");
    }
}

std::string replacedAll(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// Finds names that no file may replace before anything is changed.
void requireReplaceable(const fs::path& folder, const std::vector<fs::path>& files) {
    for (const fs::path& file : files) {
        std::error_code ignored;
        if (!fs::is_directory(folder / file, ignored)) {
            temper::requireReplaceable(folder / file);
            continue;
        }
        throw Error(
            ErrorCode::Io,
            "File '" + (folder / file).string() + "' can't be written: a folder has this name.",
            "Choose another place; nothing was changed.");
    }
}

}  // namespace

FileGroup::FileGroup(fs::path folder) : folder_(orHere(std::move(folder))) {
    ensureFolder(folder_);
    finishFileGroup(folder_);
    removeLeftOvers(folder_);
    while (!claimStaging()) {
    }
}

/// Another group may take the folder for a leftover before it is locked: then it gets the lock, or
/// the folder is gone.
bool FileGroup::claimStaging() {
    staging_ = makeStaging(folder_);
    lock_ = openFolder(staging_);
    if (lock_ >= 0) {
        const bool isLocked = ::flock(lock_, LOCK_EX | LOCK_NB) == 0;
        const bool isOthers = !isLocked && errno == EWOULDBLOCK;  // else locks do not work here
        if (!isOthers && isSameFile(lock_, staging_)) return true;
        ::close(lock_);
        lock_ = -1;
    } else if (errno != ENOENT) {
        return true;
    }
    return false;
}

FileGroup::~FileGroup() {
    if (!staging_.empty()) removeAll(staging_);
    if (lock_ >= 0) ::close(lock_);
}

void FileGroup::write(const fs::path& name, const std::function<void(const fs::path&)>& writer) {
    const fs::path path = staging_ / name;
    ensureFolder(path.parent_path());
    try {
        writer(path);
    } catch (const Error& error) {
        const std::string from = staging_.string(), to = folder_.string();
        Error named(error.code(), replacedAll(error.message(), from, to),
                    replacedAll(error.hint(), from, to));
        for (auto context = error.context().rbegin(); context != error.context().rend(); ++context)
            named.addContext(replacedAll(*context, from, to));
        throw named;
    }
}

void FileGroup::commit() {
    requireReplaceable(folder_, filesIn(staging_));
    syncFolder(staging_);
    const fs::path ready = folder_ / kReady;
    for (int tries = 0; ::rename(staging_.c_str(), ready.c_str()) != 0; ++tries) {
        const bool isTaken = errno == EEXIST || errno == ENOTEMPTY;
        if (isTaken && tries < kMaxTries) {  // another group is just taking its place
            finishFileGroup(folder_);
            continue;
        }
        throw Error(
            ErrorCode::Io,
            "The files for '" + folder_.string() + "' can't be moved into place: " + reason() + ".",
            "Nothing was changed.");
    }
    staging_.clear();
    syncFolder(folder_);
    ReadyGroup(folder_).putInPlace(true);
}

void finishFileGroup(const fs::path& folder) {
    const fs::path ready = orHere(folder) / kReady;
    for (bool isDone = false; !isDone;) {
        const OpenFolder open(ready);
        if (open.descriptor < 0) return;
        while (::flock(open.descriptor, LOCK_EX) != 0 && errno == EINTR) {
        }
        isDone = isSameFile(open.descriptor, ready);  // else another program has just finished it
        if (isDone) ReadyGroup(orHere(folder)).putInPlace(false);
    }
}

}  // namespace temper
