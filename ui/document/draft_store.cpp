// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/draft_store.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "ui/document/loaded_model.h"
#include "ui/messages/problem.h"
#include "ui/translation/engine_texts.h"

namespace temper::ui {
namespace {

constexpr int kKeyLength = 12;

QString lockPath(const QString& path) { return path + QStringLiteral(".lock"); }

/// One model, one key, however its path was written.
QString keyOf(const std::string& model) {
    const QString name = lessonOf(model) ? text(model) : QFileInfo(text(model)).absoluteFilePath();
    const QByteArray hash =
        QCryptographicHash::hash(name.toUtf8(), QCryptographicHash::Sha256).toHex();
    return QString::fromLatin1(hash.first(kKeyLength));
}

bool isHeld(const QString& path) {
    QLockFile lock(lockPath(path));
    lock.setStaleLockTime(0);  // a lock is only as good as the process that made it
    return !lock.tryLock(0);
}

bool hasModel(const Draft& draft) {
    return lessonOf(draft.spec.model) || QFileInfo::exists(text(draft.spec.model));
}

}  // namespace

QString Draft::title() const {
    const auto lesson = lessonOf(spec.model);
    if (!lesson) return QFileInfo(text(spec.model)).fileName();
    for (const Lesson& known : bundledLessons())
        if (known.name == *lesson) return engineText(known.title);
    return text(*lesson);
}

DraftFile::DraftFile(const QString& path) : path_(path), lock_(lockPath(path)) {
    lock_.setStaleLockTime(0);
    lock_.tryLock(0);
}

void DraftFile::write(const QString& path, const TrainingSpec& spec) {
    const std::string file = path.toStdString();
    writeFileAtomically(file, toJson(ProjectFile{spec, {}}, QFileInfo(path).path().toStdString()));
}

std::string DraftStore::textOf(const TrainingSpec& spec) const {
    return toJson(ProjectFile{spec, {}}, folder_.toStdString());
}

template <typename Wanted>
std::optional<Draft> DraftStore::find(const QString& pattern, Wanted wanted) const {
    const QFileInfoList files =
        QDir(folder_).entryInfoList({pattern}, QDir::Files, QDir::Time | QDir::Name);
    for (const QFileInfo& file : files) {
        const QString path = file.absoluteFilePath();
        if (isHeld(path)) continue;
        try {
            Draft draft{path,
                        projectFromJson(readFile(path.toStdString()), folder_.toStdString()).spec,
                        file.lastModified()};
            if (wanted(draft)) return draft;
        } catch (const Error&) {
            continue;  // of a newer program, or damaged: others may be there
        }
    }
    return std::nullopt;
}

std::optional<Draft> DraftStore::newest() const { return find(QStringLiteral("*.json"), hasModel); }

std::optional<Draft> DraftStore::newestOf(const std::string& model) const {
    return find(keyOf(model) + QStringLiteral("-*.json"), [](const Draft&) { return true; });
}

bool DraftStore::isOf(const Draft& draft, const std::string& model) const {
    return keyOf(draft.spec.model) == keyOf(model);
}

std::shared_ptr<DraftFile> DraftStore::begin(const std::string& model) {
    ensureFolder(folder_.toStdString());
    removeOldest();
    const QString time =
        QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmsszzz"));
    return std::make_shared<DraftFile>(
        QDir(folder_).filePath(QStringLiteral("%1-%2-%3.json")
                                   .arg(keyOf(model), time)
                                   .arg(QCoreApplication::applicationPid())));
}

void DraftStore::removeOldest() const {
    const QStringList files =
        QDir(folder_).entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Time | QDir::Name);
    for (const QString& name : files.mid(kLimit - 1)) {
        const QString path = QDir(folder_).filePath(name);
        if (!isHeld(path)) QFile::remove(path);
    }
}

}  // namespace temper::ui
