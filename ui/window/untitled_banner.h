// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/banner.h"

namespace temper::ui {

class StudioProject;
class UntitledDocuments;

/// A model was opened that is also in an untitled document: offers to continue with that one. On
/// the start page, the list of documents does so.
class UntitledBanner : public Banner {
    Q_OBJECT
public:
    /// Both outlive it.
    UntitledBanner(StudioProject& project, UntitledDocuments& documents, QWidget* parent = nullptr);

signals:
    void openRequested(const QString& folder);

private:
    void modelOpened();
    void refresh();

    StudioProject& project_;
    UntitledDocuments& documents_;
    bool isLooking_ = false;  ///< until the documents are read again
    QString offered_;         ///< its folder
};

}  // namespace temper::ui
