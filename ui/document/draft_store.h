// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QLockFile>
#include <QString>
#include <memory>
#include <optional>

#include "engine/training/spec/training_spec.h"

namespace temper::ui {

/// Choices that were made for a model and saved nowhere else.
struct Draft {
    QString path;
    TrainingSpec spec;
    QDateTime time;

    /// The model's name as a person knows it.
    QString title() const;
};

/// A draft that a window writes; nobody else is offered it while this object lives.
class DraftFile {
public:
    explicit DraftFile(const QString& path);

    const QString& path() const { return path_; }
    /// Throws: Error(Io). Thread: any.
    static void write(const QString& path, const TrainingSpec& spec);

private:
    QString path_;
    QLockFile lock_;
};

/// A folder of drafts: one file for each time that choices were made, of the last such times.
class DraftStore {
public:
    static constexpr int kLimit = 20;

    explicit DraftStore(const QString& folder) : folder_(folder) {}

    /// The latest one whose model is still there. Drafts that a window writes are not found.
    std::optional<Draft> newest() const;
    /// The latest one of the model.
    std::optional<Draft> newestOf(const std::string& model) const;
    bool isOf(const Draft& draft, const std::string& model) const;
    /// A new one, not written yet. Throws: Error(Io).
    std::shared_ptr<DraftFile> begin(const std::string& model);
    /// The draft as it would be written: the same text means the same choices.
    std::string textOf(const TrainingSpec& spec) const;

private:
    template <typename Wanted>
    std::optional<Draft> find(const QString& pattern, Wanted wanted) const;
    void removeOldest() const;

    QString folder_;
};

}  // namespace temper::ui
