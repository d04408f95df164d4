// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "ui/panels/panel.h"

class QLabel;

namespace temper::ui {

class NetCanvas;
class NetFollower;
class Stepper;
struct Problem;

/// A small net with what each of its units responds to, live. Hidden layers and their units are
/// added and removed here.
class NetView : public QWidget {
    Q_OBJECT
public:
    explicit NetView(const PanelContext& context, QWidget* parent = nullptr);

    NetFollower* follower() const { return follower_; }
    NetCanvas* canvas() const { return canvas_; }
    /// What the picture shows, in words.
    QString description() const;

signals:
    void failed(const temper::ui::Problem& problem);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildBar();
    void refresh();
    void refreshSteppers();
    void placeSteppers();
    void makeSteppers(size_t layers);
    QString legendText() const;
    /// As chosen; the model may still be being changed.
    std::vector<int64_t> units() const;
    void changeLayers(int by);
    void changeUnits(size_t layer, int by);
    void setUnits(std::vector<int64_t> units);

    PanelContext context_;
    NetFollower* follower_;
    NetCanvas* canvas_;
    Stepper* layers_ = nullptr;
    QLabel* legend_ = nullptr;
    std::vector<Stepper*> units_;                      ///< by hidden layer
    QLabel* outputs_ = nullptr;                        ///< title of the last column
    std::optional<std::vector<int64_t>> unitsInFile_;  ///< before any change, once they are known
    int generation_ = -1;                              ///< of the document that they are of
};

}  // namespace temper::ui
