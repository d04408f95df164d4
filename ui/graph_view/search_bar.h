// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <memory>

#include "ui/graph_view/node_hit_model.h"

class QLabel;
class QLineEdit;
class QListView;

namespace temper::ui {

class TaskRunner;

/// Finds nodes while the user types; Enter goes to the chosen one, F3 and Shift+F3 to the next and
/// the previous one, Escape closes.
class SearchBar : public QFrame {
    Q_OBJECT
public:
    /// A query in the language of NodeQuery, or a node's name or number to go to.
    enum class Mode { Find, GoTo };

    SearchBar(TaskRunner& tasks, QWidget* parent);

    void setDocument(std::shared_ptr<const GraphDocument> document);
    void open(Mode mode);
    void close();
    void step(int by);
    const NodeHitModel& hits() const { return *model_; }

signals:
    void hitsChanged();
    void nodeChosen(int node);
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search();
    void show(std::vector<NodeHit> hits);
    void choose(int row);
    void fitList();

    TaskRunner& tasks_;
    std::shared_ptr<const GraphDocument> document_;
    Mode mode_ = Mode::Find;
    QLineEdit* edit_;
    QLabel* hint_;
    QListView* list_;
    NodeHitModel* model_;
    int task_ = 0;
};

}  // namespace temper::ui
