// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ui/panels/panel.h"
#include "ui/widgets/number_edit.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;

namespace temper::ui {

class ThumbnailView;

/// Preparation of the samples before they are fed: split, normalization, augmentation, with the
/// same sample in eight variations beside it. Every field is an option of the data's specification.
class PrepareView : public QWidget {
    Q_OBJECT
public:
    PrepareView(const PanelContext& context, QWidget* parent = nullptr);

    /// Shows the current specification and data.
    void refresh();
    ThumbnailView* preview() const { return preview_; }

private:
    QWidget* buildForm();
    QWidget* buildPreview();
    void addHeading(QFormLayout* form, const QString& text);
    /// An empty field removes the option; `help` says what that means.
    NumberEdit* addNumber(QFormLayout* form, const QString& label, const std::string& option,
                          NumberEdit::Kind kind, std::pair<double, double> range,
                          const QString& help);
    void addScale(QFormLayout* form);
    /// The last row is for pictures only.
    void limitToPictures(QFormLayout* form, const std::string& option);
    void showRows(const std::map<std::string, std::string>& options);
    /// A label below a field: why its text is refused; hidden while it is accepted.
    QLabel* makeRefusal(NumberEdit* field);
    QComboBox* addChoice(QFormLayout* form, const QString& label, const std::string& option,
                         const std::vector<std::pair<QString, std::string>>& choices);
    void edit(const QString& label, const std::string& option, const std::string& value);
    void refreshPreview();

    PanelContext context_;
    std::vector<std::function<void(const std::map<std::string, std::string>&)>> fields_;
    /// Show or hide a row; whether there are pictures, and the current options.
    std::vector<std::function<void(bool, const std::map<std::string, std::string>&)>> pictureRows_;
    QLabel* measured_ = nullptr;
    QWidget* previewPane_ = nullptr;
    QLabel* caption_ = nullptr;
    ThumbnailView* preview_ = nullptr;
    int64_t sample_ = 0;
    int task_ = 0;
};

}  // namespace temper::ui
