// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "engine/training/rehearsal/largest_batch.h"
#include "engine/training/rehearsal/rehearsal.h"
#include "ui/widgets/busy_buttons.h"

class QLabel;
class QPushButton;

namespace temper::ui {

class Banner;
class Fold;
class NumberEdit;
class StudioProject;
class XyPlot;

/// A few steps on a copy, before the start: which learning rate the model tolerates, how much time
/// and memory the run will take, and which batches fit into memory.
class RehearsalCard : public QFrame {
    Q_OBJECT
public:
    explicit RehearsalCard(StudioProject& project, QWidget* parent = nullptr);

    /// The suggestion of the last search; 0 if there is none.
    double suggestedRate() const { return suggested_; }
    /// The largest batch of the last search; 0 if there is none.
    int64_t largestBatch() const { return largest_; }

private:
    QWidget* buildButtons();
    void findRate();
    void estimate();
    void showRange(const LrRange& range);
    void drawRange(const LrRange& range);
    void showEstimate(const RunEstimate& estimate);
    void useSuggestion();
    QWidget* buildBatch();
    QWidget* buildLimit(QWidget* box);
    void proposeLimit();
    void showLimit();
    void findBatch();
    void showBatch(const LargestBatch& found, size_t limit);
    void useBatch();
    /// Cancels the running rehearsal and drops results, which do not hold for other choices.
    void forget();
    void finish();
    void refresh();

    StudioProject& project_;
    Banner* banner_ = nullptr;
    QPushButton* find_ = nullptr;
    QPushButton* estimate_ = nullptr;
    QPushButton* cancel_ = nullptr;
    QPushButton* use_ = nullptr;
    QPushButton* findBatch_ = nullptr;
    QPushButton* useBatch_ = nullptr;
    Fold* limitFold_ = nullptr;
    NumberEdit* limit_ = nullptr;
    QLabel* batch_ = nullptr;
    QLabel* facts_ = nullptr;
    QLabel* suggestion_ = nullptr;
    XyPlot* plot_ = nullptr;
    double suggested_ = 0;
    int64_t largest_ = 0;
    BusyButtons buttons_;
    int task_ = 0;
};

}  // namespace temper::ui
