// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "engine/data/sound/sound.h"
#include "tests/ui/fake_capture.h"
#include "tests/ui/window_driver.h"

namespace temper::ui {

class EvaluatePanel;
class TryView;

/// The tab of the page Evaluate where inputs are tried.
inline constexpr int kTryIt = 3;

class CaptureStudio;

/// Rows for inLanguageOfRow(): English, light; German, dark.
void addLanguages();
/// Opens the lesson in the language of the row, in a narrow window, and looks at it. `prefix`: of
/// the names of pictures.
void inLanguageOfRow(
    const QString& lesson,
    const std::function<void(CaptureStudio& studio, const QString& prefix, bool isGerman)>& look);

/// The window with a lesson and fake devices.
class CaptureStudio {
public:
    explicit CaptureStudio(const QString& lesson);

    /// Trains the lesson and goes to the page where inputs are tried.
    void open(int epochs);
    /// What the model says, once it has looked: the classes with their probabilities.
    std::vector<std::pair<QString, double>> answer();
    /// What is shown in place of the camera's picture.
    QString cameraMessage() const;
    /// To the microphone, as devices do.
    void sendInPieces(const Sound& sound);
    /// Paints the window for people to look at, and checks that no text is cut.
    void look(const QString& name);

    FakeCapture fake;
    WindowDriver driver;
    EvaluatePanel* panel = nullptr;
    TryView* view = nullptr;

private:
    QString lesson_;
};

/// Coloured noise with a bright square, so that no two pictures are alike.
QImage noisyFrame(uint32_t seed, QSize size = {640, 480});

/// A tone that grows and fades.
Sound tone(double rate, double hertz, double seconds, int channels = 1);

}  // namespace temper::ui
