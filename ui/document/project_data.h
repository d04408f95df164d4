// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <string>

#include "engine/data/image_form.h"
#include "ui/document/loaded_data.h"
#include "ui/messages/problem.h"

namespace temper::ui {

class TaskRunner;

/// The data of the project, read in tasks: again if other data is chosen, or if the loss interprets
/// the targets differently. Unreadable samples are searched for afterwards.
/// Thread: the GUI thread.
class ProjectData : public QObject {
    Q_OBJECT
public:
    explicit ProjectData(TaskRunner& tasks, QObject* parent = nullptr);

    /// The form in which the model takes pictures; applies the next time data is read.
    void setForm(const ImageForm& form) { form_ = form; }
    /// Reads data, named as in TrainingSpec::run; nothing if `training` is empty.
    void read(const std::string& training, const std::string& evaluation);
    /// Sets how the loss interprets the targets. Numbers of a table may be classes or numbers: the
    /// data is read again if that makes a difference.
    void readFor(const TargetForm& target);
    /// Forgets everything without a signal.
    void close();

    /// Null while it is being read, and if reading failed.
    const std::shared_ptr<const LoadedData>& loaded() const { return loaded_; }
    bool isReading() const { return task_ != 0; }
    /// Why the data could not be read.
    const Problem& problem() const { return problem_; }

signals:
    void changed();
    void problemFound(const temper::ui::Problem& problem);

private:
    void forget();
    void start();
    void adopt(std::shared_ptr<const LoadedData> data, const TargetForm& readFor);
    void lookAtSamples();
    void addFindings(const std::shared_ptr<const LoadedData>& looked,
                     const std::vector<Finding>& findings);

    TaskRunner& tasks_;
    std::string training_;
    std::string evaluation_;
    ImageForm form_;
    TargetForm target_;
    std::shared_ptr<const LoadedData> loaded_;
    Problem problem_;
    int task_ = 0;
    int lookTask_ = 0;
};

}  // namespace temper::ui
