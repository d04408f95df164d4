// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/sound_bar.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QIntValidator>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/capture/capture_module.h"
#include "ui/capture/capture_texts.h"
#include "ui/explain/explain.h"
#include "ui/panels/evaluate/device_choice.h"
#include "ui/panels/evaluate/wave_view.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr double kShortestSeconds = 1;
constexpr int kQuietest = 60;  ///< of the level. Units: decibels below full scale
/// A muted microphone delivers zeros, or almost.
constexpr float kMuted = 1e-4F;
constexpr int kLowestRate = 100, kHighestRate = 384'000;

float largestOf(const Sound& sound) {
    float largest = 0;
    for (const float value : sound.samples) largest = std::max(largest, std::abs(value));
    return largest;
}

}  // namespace

SoundBar::SoundBar(CaptureModule& capture, QWidget* parent) : QWidget(parent), capture_(capture) {
    setAcceptDrops(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(buildRecorder());
    wave_ = new WaveView(this);
    wave_->setObjectName(QStringLiteral("wave"));
    column->addWidget(wave_);
    message_ = makeLabel({}, "bad", this);
    message_->setObjectName(QStringLiteral("soundMessage"));
    message_->setWordWrap(true);
    message_->hide();
    column->addWidget(message_);
    column->addLayout(buildFit());
    length_ = makeLabel({}, "muted", this);
    length_->setWordWrap(true);
    column->addWidget(length_);
    patience_.setSingleShot(true);
    patience_.setInterval(kPatience);
    connect(&patience_, &QTimer::timeout, this, [this] {
        followDevices();  // not every system tells that one is gone
        if (isRecording())
            fail(
                tr("The microphone sends no sound. Close other programs that use it, or plug it in "
                   "again."));
    });
    connect(&capture_, &CaptureModule::changed, this, &SoundBar::followDevices);
}

QHBoxLayout* SoundBar::buildRecorder() {
    auto* row = new QHBoxLayout;
    record_ = new QPushButton(tr("Record"), this);
    record_->setObjectName(QStringLiteral("recordSound"));
    connect(record_, &QPushButton::clicked, this, &SoundBar::press);
    row->addWidget(record_);
    level_ = new QProgressBar(this);
    level_->setObjectName(QStringLiteral("soundLevel"));
    level_->setAccessibleName(tr("Level of the microphone"));
    level_->setTextVisible(false);
    level_->setRange(0, kQuietest);
    row->addWidget(level_, 1);
    choice_ = new DeviceChoice(this);
    choice_->setObjectName(QStringLiteral("microphoneChoice"));
    choice_->setAccessibleName(tr("Microphone"));
    connect(choice_, &QComboBox::activated, this, [this] {
        if (isRecording()) start();
    });
    row->addWidget(choice_, 1);
    auto* open = new QPushButton(tr("Open sound…"), this);
    open->setObjectName(QStringLiteral("openSound"));
    connect(open, &QPushButton::clicked, this, &SoundBar::askForFile);
    row->addWidget(open);
    return row;
}

QHBoxLayout* SoundBar::buildFit() {
    auto* row = new QHBoxLayout;
    rate_ = explain(new QComboBox(this), "sample-rate");
    rate_->setObjectName(QStringLiteral("soundRate"));
    rate_->setEditable(true);
    rate_->setInsertPolicy(QComboBox::NoInsert);
    auto* validator = new QIntValidator(kLowestRate, kHighestRate, rate_);
    QLocale plain = QLocale::c();  // "16,000" and "16.000" are not sixteen
    plain.setNumberOptions(QLocale::RejectGroupSeparator);
    validator->setLocale(plain);
    rate_->setValidator(validator);
    for (const double rate : commonRates()) rate_->addItem(QString::number(rate));
    auto* label = makeLabel(tr("Sample rate (Hz)"), "muted", this);
    label->setBuddy(rate_);
    rate_->setAccessibleName(label->text());
    rate_->setToolTip(tr(
        "The sample rate of the training sounds. The data does not include it, so it is a guess."));
    connect(rate_, &QComboBox::currentTextChanged, this, [this] {
        if (!rate_->lineEdit()->hasAcceptableInput()) return;
        typedRate_ = rate_->currentText().toDouble();
        describeLength();
        emit fitChanged();
    });
    row->addWidget(label);
    row->addWidget(rate_);
    loudness_ = new QCheckBox(tr("As loud as the training sounds"), this);
    loudness_->setObjectName(QStringLiteral("matchLoudness"));
    loudness_->setChecked(true);
    connect(loudness_, &QCheckBox::toggled, this, &SoundBar::fitChanged);
    row->addWidget(loudness_);
    row->addStretch(1);
    return row;
}

void SoundBar::setLength(int64_t numbers) {
    numbers_ = numbers;
    typedRate_ = likelyRate(numbers);
    rate_->setCurrentText(QString::number(typedRate_));
    describeLength();
}

void SoundBar::describeLength() {
    const SoundFit known = fit();
    length_->setText(tr("The model gets the loudest %1 s of a sound: %2 numbers.")
                         .arg(decimalText(static_cast<double>(numbers_) / known.rate, 'g', 3),
                              integerText(numbers_)));
}

SoundFit SoundBar::fit() const {
    return {std::clamp<double>(typedRate_, kLowestRate, kHighestRate), loudness_->isChecked()};
}

double SoundBar::recordedSeconds() const {
    return std::max(kShortestSeconds, static_cast<double>(numbers_) / fit().rate);
}

void SoundBar::setPatience(std::chrono::milliseconds patience) { patience_.setInterval(patience); }

QString SoundBar::message() const { return message_->isHidden() ? QString() : message_->text(); }

void SoundBar::setMessage(const QString& message) {
    message_->setText(message);
    message_->setVisible(!message.isEmpty());
}

void SoundBar::setSound(const Sound& sound) {
    release();
    setMessage({});
    wave_->setSound(sound, sound.seconds());
}

void SoundBar::setPart(const FittedSound& fitted) { wave_->setPart(fitted.beginning, fitted.end); }

void SoundBar::clear() {
    release();
    setMessage({});
    wave_->setSound({}, 0);
}

// ---- recording ---------------------------------------------------------------------------------

void SoundBar::press() { isRecording() ? finish() : start(); }

void SoundBar::start() {
    release();
    setMessage({});
    wave_->setSound({}, 0);
    CaptureDevices* devices = capture_.devices();
    if (devices == nullptr) return setMessage(capture_.obstacle());
    choice_->setDevices(devices->microphones());
    opened_ = choice_->id();
    if (opened_.isEmpty())
        return setMessage(tr("No microphone is connected. Plug one in and record again."));
    record_->setText(tr("Stop"));
    wave_->setSound({}, recordedSeconds());
    patience_.start();
    source_ = devices->openMicrophone(
        opened_, {[this](const Sound& piece) { receive(piece); },
                  [this](const CaptureFailure& failure) { fail(microphoneText(failure)); }});
}

void SoundBar::receive(const Sound& piece) {
    if (piece.samples.empty()) return;
    patience_.start();
    recording_.rate = piece.rate;
    recording_.channels = piece.channels;
    recording_.samples.insert(recording_.samples.end(), piece.samples.begin(), piece.samples.end());
    const float loudest = std::max(largestOf(piece), 1e-9F);
    level_->setValue(std::clamp(qRound(kQuietest + 20 * std::log10(loudest)), 0, kQuietest));
    const auto wanted = static_cast<int64_t>(std::ceil(recordedSeconds() * recording_.rate));
    if (recording_.instants() < wanted) return wave_->setSound(recording_, recordedSeconds());
    recording_.samples.resize(static_cast<size_t>(wanted * recording_.channels));
    finish();
}

void SoundBar::finish() {
    const Sound sound = std::move(recording_);
    release();
    if (sound.instants() == 0) return setMessage(tr("Nothing was recorded yet."));
    wave_->setSound(sound, sound.seconds());
    if (largestOf(sound) < kMuted)
        return setMessage(tr("The recording is silent. The microphone may be muted."));
    emit recorded(sound);
}

void SoundBar::release() {
    patience_.stop();
    source_.reset();
    recording_ = {};
    level_->setValue(0);
    record_->setText(tr("Record"));
}

void SoundBar::fail(const QString& message) {
    release();
    wave_->setSound({}, 0);
    setMessage(message);
}

void SoundBar::followDevices() {
    CaptureDevices* devices = opened_.isEmpty() ? nullptr : capture_.devices();
    if (devices == nullptr) return;
    const std::vector<CaptureDevice> microphones = devices->microphones();
    choice_->setDevices(microphones);
    const bool isThere = std::ranges::any_of(
        microphones, [this](const CaptureDevice& device) { return device.id == opened_; });
    if (isRecording() && !isThere) fail(microphoneText({CaptureFault::Unplugged}));
}

void SoundBar::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    record_->setEnabled(capture_.isInstalled());
    record_->setToolTip(capture_.isInstalled() ? QString() : CaptureModule::whatToInstall());
}

void SoundBar::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    if (isRecording()) clear();
}

// ---- files -------------------------------------------------------------------------------------

void SoundBar::askForFile() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open sound"), {}, tr("Sounds (*.wav)"));
    if (!path.isEmpty()) emit fileChosen(path);
}

void SoundBar::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void SoundBar::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty()) emit fileChosen(urls.front().toLocalFile());
}

}  // namespace temper::ui
