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

/// The docks of a window: made from docks() and tools of plugins, shown by their actions, and
/// restored at the next start. Docks that belong to some pages hide on the others and reappear.
class WindowDocks : public QObject {
    Q_OBJECT
public:
    /// `tools`: added after those of docks().
    WindowDocks(QMainWindow& window, QSettings& settings, const PanelContext& context,
                const std::vector<DockInfo>& tools = {});

    /// Opens the dock, on top of those that share its place.
    void show(const QString& id);
    /// Brings the dock to the front if it is open.
    void raise(const QString& id);
    /// Opens or closes the dock as the user would.
    void setWanted(const QString& id, bool wanted);
    /// A page is shown: docks of other pages hide.
    void setPage(const QString& page);
    /// Opens its docks and closes the others. Where several share a place, one for some pages only
    /// is on top, or else the first one.
    void apply(LayoutPreset preset);
    /// Shows only docks that teach: explanations and lessons.
    void setPresenting(bool presenting);
    /// Shows and hides docks as the user, the page and the mode require.
    void arrange();
    /// Checkable, in the order of docks().
    std::vector<QAction*> actions() const;
    QAction* action(const QString& id) const;

    void save() const;
    /// Places and sizes; wanted() says which docks are open.
    QByteArray layout() const;
    QStringList wanted() const;
    /// Restores the results of layout() and wanted(). Returns: whether the layout fits.
    bool restore(const QByteArray& layout, const QStringList& wanted);
    /// Sets whether docks move to their places with an animation or at once.
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
