// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace temper::ui {

/// A term of training, explained to a learner.
struct Term {
    QString id;
    QString title;
    QString text;     ///< two to four plain sentences
    QString formula;  ///< or empty
    QStringList see;  ///< ids of related terms
};

/// All terms, in the language of the window: those of the tables (term_table_*.cpp), and the
/// losses, optimizers and schedules that these lack.
std::vector<Term> terms();

/// The term of a choice or number of the engine, by its key. `kind`: "loss", "optimizer",
/// "schedule", "number" or "metric". Numbers without a term: an empty id.
QString termOfChoice(const QString& kind, const QString& key);

}  // namespace temper::ui
