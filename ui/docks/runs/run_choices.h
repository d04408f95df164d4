// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <string>

class QJsonObject;
class QJsonValue;

namespace temper {
struct StoredRun;
}

namespace temper::ui {

/// The choices of a run in the words of the window, by their places in its specification, such as
/// "run.learning_rate".
struct RunChoices {
    std::map<QString, QString> chosen;
    /// Numbers of its loss, optimizer and schedule that it leaves at their defaults.
    std::map<QString, QString> usual;
};

/// Reads the choices of many runs, which share a few models. Thread: any, one at a time.
class RunChoiceReader {
public:
    RunChoices read(const StoredRun& run);

private:
    void addAll(const QString& place, const QJsonObject& object, RunChoices& choices);
    QString textOf(const QString& place, const QJsonValue& value);
    QString modelText(const std::string& model);

    std::map<std::string, QString> models_;  ///< titles
};

/// The titles of the choice at a place. The first one is the shortest; where others have it, too,
/// the next ones tell more.
QStringList choiceTitles(const QString& place);

}  // namespace temper::ui
