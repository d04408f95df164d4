// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QObject>
#include <map>
#include <vector>

#include "ui/docks/dock.h"

class QAction;
class QDockWidget;
class QSettings;

namespace temper::ui {

/// What a person does decides which docks help.
enum class LayoutPreset { Inspect, Train, Teach };

/// The docks of a window: made from docks() and tools of plugins, shown by their actions, and left
/// as they were at the next start. Docks that belong to some pages hide on the others and come
/// back.
class WindowDocks : public QObject {
    Q_OBJECT
public:
    /// `tools`: behind those of docks().
    WindowDocks(QMainWindow& window, QSettings& settings, const PanelContext& context,
                const std::vector<DockInfo>& tools = {});

    /// Opens the dock, in front of those that share its place.
    void show(const QString& id);
    /// Brings the dock to the front where it is open.
    void raise(const QString& id);
    /// Opens or closes the dock as a person would.
    void setWanted(const QString& id, bool wanted);
    /// A page is shown: docks of other pages hide.
    void setPage(const QString& page);
    void apply(LayoutPreset preset);
    /// Only docks that teach are there: explanations and lessons.
    void setPresenting(bool presenting);
    /// Shows and hides docks as people, the page and the mode want it.
    void arrange();
    /// Checkable, in the order of docks().
    std::vector<QAction*> actions() const;
    QAction* action(const QString& id) const;

    void save() const;
    /// Places and sizes; wanted() says what of it is open.
    QByteArray layout() const;
    QStringList wanted() const;
    /// As layout() and wanted() were. Returns: whether the layout fits.
    bool restore(const QByteArray& layout, const QStringList& wanted);
    /// Docks move to their places by themselves or at once.
    void setAnimated(bool animated);

private:
    struct Entry {
        DockInfo info;
        QDockWidget* dock;
        QAction* action;
        bool isWanted = false;
    };
    void add(const DockInfo& info, const PanelContext& context);
    void setWanted(Entry& entry, bool wanted);
    void restore();
    void open(const QStringList& wanted);
    bool belongsToPage(const Entry& entry) const;

    QMainWindow& window_;
    QSettings& settings_;
    std::vector<Entry> entries_;
    QString page_;
    bool isPresenting_ = false;
};

}  // namespace temper::ui
