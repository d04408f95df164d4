// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <memory>

#include "engine/data/image/image.h"
#include "engine/data/sound/sound.h"
#include "ui/panels/evaluate/try_prediction.h"
#include "ui/panels/panel.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace temper::ui {

class PictureInput;
class PredictionBars;
class RowModel;
class SoundBar;
class TryCanvas;

/// One input at a time, also while training: draw it, drop it, type it, take it with a camera or a
/// microphone, or take a sample, and see the model's prediction and its explanation.
class TryView : public QWidget {
    Q_OBJECT
public:
    TryView(const PanelContext& context, WeightSource* weights, QWidget* parent = nullptr);

    /// The data or its binding has changed.
    void refresh();
    /// Fetches the weights again; the prediction follows.
    void refreshWeights();
    /// `place`: which of the sample's predictions, see TryRequest.
    void showSample(const std::shared_ptr<const Dataset>& data, int64_t sample, int64_t place = -1);
    void openPicture(const QString& path);
    void openSound(const QString& path);

    PictureInput* picture() const { return picture_; }
    TryCanvas* canvas() const;
    /// Hidden unless the model takes sounds.
    SoundBar* sound() const { return sound_; }
    PredictionBars* bars() const { return bars_; }
    RowModel* row() const { return row_; }

signals:
    void failed(const temper::ui::Problem& problem);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildInput();
    void buildPictureInput();
    QWidget* buildRowInput();
    QWidget* buildOutput();
    void adoptBinding();
    void nextSample(int step);
    void showFed();
    void takePicture(const Image& picture);
    void takeSound(std::shared_ptr<const Sound> sound);
    void forgetSound();
    void takeRow();
    void takeOwn(Tensor values, const QString& label);
    void takePlace(int row);
    QString nameOf(const TryResult& result, size_t output) const;
    std::vector<double> rightValues(const TryResult& result) const;
    QString captionOf(const TryResult& result) const;
    void predict();
    void show(const TryResult& result);
    void followRun();
    bool hasPicture() const { return isPicture_; }
    const Column* mainColumn() const;

    PanelContext context_;
    WeightSource* weights_;
    QStackedWidget* input_ = nullptr;
    PictureInput* picture_ = nullptr;
    SoundBar* sound_ = nullptr;
    QTableView* rowTable_ = nullptr;
    RowModel* row_ = nullptr;
    PredictionBars* bars_ = nullptr;
    QLabel* caption_ = nullptr;
    QLabel* sampleLabel_ = nullptr;
    QComboBox* explanation_ = nullptr;
    QLabel* explanationHint_ = nullptr;
    QCheckBox* follow_ = nullptr;

    std::shared_ptr<const LoadedData> data_;
    std::shared_ptr<const Dataset> samples_;  ///< stepped through by the sample buttons
    std::map<std::string, std::string> binding_;
    std::string main_;    ///< the column that is drawn or typed
    std::string target_;  ///< the column of the target
    bool isPicture_ = false;
    std::shared_ptr<const Sound>
        ownSound_;  ///< that the input was made of; null: of something else
    std::map<std::string, Tensor> sample_;
    int64_t sampleIndex_ = -1;  ///< of samples_; -1: drawn or typed
    int64_t place_ = -1;        ///< of the sample's predictions, see TryRequest
    int64_t places_ = 1;        ///< of the latest result
    std::shared_ptr<TryPredictor> predictor_;
    std::shared_ptr<const Artifacts> madeFor_;
    bool fetching_ = false;
    int fetch_ = 0;       ///< counts the fetches; a later one replaces those that are not done
    int fetched_ = 0;     ///< the fetch that the predictor is from
    bool stale_ = false;  ///< training has continued since the weights were taken
    QElapsedTimer sinceFetch_;
    int task_ = 0;
    int soundTask_ = 0;
};

}  // namespace temper::ui
