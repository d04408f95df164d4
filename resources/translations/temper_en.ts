<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>temper::ui</name>
    <message numerus="yes">
        <source>%n more lines</source>
        <translation>
            <numerusform>%n more line</numerusform>
            <numerusform>%n more lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensors</source>
        <translation>
            <numerusform>%n tensor</numerusform>
            <numerusform>%n tensors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>+%n shape ops</source>
        <translation>
            <numerusform>+%n shape op</numerusform>
            <numerusform>+%n shape ops</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>graph of %n nodes</source>
        <translation>
            <numerusform>graph of %n node</numerusform>
            <numerusform>graph of %n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Freeze these %n parameters</source>
        <translation>
            <numerusform>Freeze this parameter</numerusform>
            <numerusform>Freeze these %n parameters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n problems found</source>
        <translation>
            <numerusform>One problem found</numerusform>
            <numerusform>%n problems found</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln validation samples (%1)</source>
        <translation>
            <numerusform>%Ln validation sample (%1)</numerusform>
            <numerusform>%Ln validation samples (%1)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln validation samples (%1 % of all, drawn with seed %2)</source>
        <translation>
            <numerusform>%Ln validation sample (%1 % of all, drawn with seed %2)</numerusform>
            <numerusform>%Ln validation samples (%1 % of all, drawn with seed %2)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n classes (%1)</source>
        <translation>
            <numerusform>%n class (%1)</numerusform>
            <numerusform>%n classes (%1)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln training samples</source>
        <translation>
            <numerusform>%Ln training sample</numerusform>
            <numerusform>%Ln training samples</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln plugins are not loaded</source>
        <translation>
            <numerusform>%Ln plugin is not loaded</numerusform>
            <numerusform>%Ln plugins are not loaded</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln samples of their own</source>
        <translation>
            <numerusform>%Ln sample of their own</numerusform>
            <numerusform>%Ln samples of their own</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>New, with %Ln classes</source>
        <translation>
            <numerusform>New, with %Ln class</numerusform>
            <numerusform>New, with %Ln classes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln validation samples (%1; the %2 % held out are not used)</source>
        <translation>
            <numerusform>%Ln validation sample (%1; the %2 % held out are not used)</numerusform>
            <numerusform>%Ln validation samples (%1; the %2 % held out are not used)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::CheckpointDialog</name>
    <message numerus="yes">
        <source>%n properties</source>
        <translation>
            <numerusform>%n property</numerusform>
            <numerusform>%n properties</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln trainable parameters</source>
        <translation>
            <numerusform>%Ln trainable parameter</numerusform>
            <numerusform>%Ln trainable parameters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln frozen parameters</source>
        <translation>
            <numerusform>%Ln frozen parameter</numerusform>
            <numerusform>%Ln frozen parameters</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::CheckpointDiffDialog</name>
    <message numerus="yes">
        <source>%n parameters in both: %1 changed, %2 with a different type or shape · %3 only in the first · %4 only in the second</source>
        <translation>
            <numerusform>%n parameter in both: %1 changed, %2 with a different type or shape · %3 only in the first · %4 only in the second</numerusform>
            <numerusform>%n parameters in both: %1 changed, %2 with a different type or shape · %3 only in the first · %4 only in the second</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::DataPanel</name>
    <message numerus="yes">
        <source>%Ln samples</source>
        <translation>
            <numerusform>%Ln sample</numerusform>
            <numerusform>%Ln samples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::DesktopLink</name>
    <message numerus="yes">
        <source>%Ln steps</source>
        <translation>
            <numerusform>%Ln step</numerusform>
            <numerusform>%Ln steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::DetailView</name>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::ExportPanel</name>
    <message numerus="yes">
        <source>Verified: on %Ln samples, the file&apos;s outputs match the trained model&apos;s; largest difference %1.</source>
        <translation>
            <numerusform>Verified: on %Ln sample, the file&apos;s outputs match the trained model&apos;s; largest difference %1.</numerusform>
            <numerusform>Verified: on %Ln samples, the file&apos;s outputs match the trained model&apos;s; largest difference %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln nodes</source>
        <translation>
            <numerusform>%Ln node</numerusform>
            <numerusform>%Ln nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> · %Ln batch norms folded into weights</source>
        <translation>
            <numerusform> · %Ln batch norm folded into weights</numerusform>
            <numerusform> · %Ln batch norms folded into weights</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::FineTuneSheet</name>
    <message numerus="yes">
        <source>%Ln samples</source>
        <translation>
            <numerusform>%Ln sample</numerusform>
            <numerusform>%Ln samples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::FreezeActions</name>
    <message numerus="yes">
        <source>Freeze everything before this (%n parameters)</source>
        <translation>
            <numerusform>Freeze everything before this (%n parameter)</numerusform>
            <numerusform>Freeze everything before this (%n parameters)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Train everything from here on (%n parameters)</source>
        <translation>
            <numerusform>Train everything from here on (%n parameter)</numerusform>
            <numerusform>Train everything from here on (%n parameters)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::GraphPane</name>
    <message numerus="yes">
        <source>Show %n shape operations</source>
        <translation>
            <numerusform>Show %n shape operation</numerusform>
            <numerusform>Show %n shape operations</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::GraphView</name>
    <message numerus="yes">
        <source>%n shape operations hidden</source>
        <translation>
            <numerusform>%n shape operation hidden</numerusform>
            <numerusform>%n shape operations hidden</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::GroupModel</name>
    <message numerus="yes">
        <source>%Ln parameters train in this group.</source>
        <translation>
            <numerusform>%Ln parameter trains in this group.</numerusform>
            <numerusform>%Ln parameters train in this group.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more are frozen; the settings of the group apply after you unfreeze them.</source>
        <translation>
            <numerusform>%Ln more is frozen; the settings of the group apply after you unfreeze it.</numerusform>
            <numerusform>%Ln more are frozen; the settings of the group apply after you unfreeze them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>They stay unchanged for the first %Ln steps.</source>
        <translation>
            <numerusform>They stay unchanged for the first step.</numerusform>
            <numerusform>They stay unchanged for the first %Ln steps.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::GroupMoves</name>
    <message numerus="yes">
        <source>Remove %Ln parameters from their groups</source>
        <translation>
            <numerusform>Remove %Ln parameter from its group</numerusform>
            <numerusform>Remove %Ln parameters from their groups</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>New group with %Ln parameters</source>
        <translation>
            <numerusform>New group with %Ln parameter</numerusform>
            <numerusform>New group with %Ln parameters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %Ln parameters to group %1</source>
        <translation>
            <numerusform>Move %Ln parameter to group %1</numerusform>
            <numerusform>Move %Ln parameters to group %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::GroupsEditor</name>
    <message numerus="yes">
        <source>%Ln parameters in these groups are frozen. The group settings apply after you unfreeze them.</source>
        <translation>
            <numerusform>%Ln parameter in these groups is frozen. The group settings apply after you unfreeze it.</numerusform>
            <numerusform>%Ln parameters in these groups are frozen. The group settings apply after you unfreeze them.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::LeaveGuard</name>
    <message numerus="yes">
        <source>It was trained for %Ln steps. If you keep it, it stays among the untitled documents on the start page, with its runs and checkpoints.</source>
        <translation>
            <numerusform>It was trained for %Ln step. If you keep it, it stays among the untitled documents on the start page, with its runs and checkpoints.</numerusform>
            <numerusform>It was trained for %Ln steps. If you keep it, it stays among the untitled documents on the start page, with its runs and checkpoints.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::LessonDock</name>
    <message numerus="yes">
        <source>%1 of %Ln steps done</source>
        <translation>
            <numerusform>%1 of %Ln step done</numerusform>
            <numerusform>%1 of %Ln steps done</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::ModelPanel</name>
    <message numerus="yes">
        <source>%Ln nodes</source>
        <translation>
            <numerusform>%Ln node</numerusform>
            <numerusform>%Ln nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n problems keep this model from training</source>
        <translation>
            <numerusform>One problem keeps this model from training</numerusform>
            <numerusform>%n problems keep this model from training</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The gradient of the loss reaches %1 through %n nodes.</source>
        <translation>
            <numerusform>The gradient of the loss reaches %1 through %n node.</numerusform>
            <numerusform>The gradient of the loss reaches %1 through %n nodes.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::MoreSettings</name>
    <message numerus="yes">
        <source>More settings (%Ln changed)</source>
        <translation>
            <numerusform>More settings (%Ln changed)</numerusform>
            <numerusform>More settings (%Ln changed)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::NetView</name>
    <message numerus="yes">
        <source>%Ln hidden layers</source>
        <translation>
            <numerusform>%Ln hidden layer</numerusform>
            <numerusform>%Ln hidden layers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln units</source>
        <translation>
            <numerusform>%Ln unit</numerusform>
            <numerusform>%Ln units</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>hidden layer %1 with %Ln units</source>
        <translation>
            <numerusform>hidden layer %1 with %Ln unit</numerusform>
            <numerusform>hidden layer %1 with %Ln units</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln outputs</source>
        <translation>
            <numerusform>%Ln output</numerusform>
            <numerusform>%Ln outputs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::Offers</name>
    <message numerus="yes">
        <source>%Ln runs are waiting for it to end.</source>
        <translation>
            <numerusform>%Ln run is waiting for it to end.</numerusform>
            <numerusform>%Ln runs are waiting for it to end.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs are waiting</source>
        <translation>
            <numerusform>%Ln run is waiting</numerusform>
            <numerusform>%Ln runs are waiting</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs finished.</source>
        <translation>
            <numerusform>%Ln run finished.</numerusform>
            <numerusform>%Ln runs finished.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs finished, </source>
        <translation>
            <numerusform>%Ln run finished, </numerusform>
            <numerusform>%Ln runs finished, </numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln failed.</source>
        <translation>
            <numerusform>%Ln failed.</numerusform>
            <numerusform>%Ln failed.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::OptimizerStateView</name>
    <message numerus="yes">
        <source>%1: step %2, initial learning rate %3, %Ln parameters</source>
        <translation>
            <numerusform>%1: step %2, initial learning rate %3, %Ln parameter</numerusform>
            <numerusform>%1: step %2, initial learning rate %3, %Ln parameters</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::ParametersPanel</name>
    <message numerus="yes">
        <source>%Ln trainable tensors shown · %1</source>
        <translation>
            <numerusform>%Ln trainable tensor shown · %1</numerusform>
            <numerusform>%Ln trainable tensors shown · %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>New last layer with %n classes</source>
        <translation>
            <numerusform>New last layer with %n class</numerusform>
            <numerusform>New last layer with %n classes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::QueueCommands</name>
    <message numerus="yes">
        <source>%Ln runs are waiting.</source>
        <translation>
            <numerusform>%Ln run is waiting.</numerusform>
            <numerusform>%Ln runs are waiting.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs are waiting; each starts when the previous one has ended.</source>
        <translation>
            <numerusform>%Ln run is waiting; it starts when the current one has ended.</numerusform>
            <numerusform>%Ln runs are waiting; each starts when the previous one has ended.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::RehearsalCard</name>
    <message numerus="yes">
        <source>Tried from %1 to %2 in %n steps: a good learning rate is about %3.</source>
        <translation>
            <numerusform>Tried from %1 to %2 in %n step: a good learning rate is about %3.</numerusform>
            <numerusform>Tried from %1 to %2 in %n steps: a good learning rate is about %3.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::RunFigures</name>
    <message numerus="yes">
        <source>on %Ln samples</source>
        <translation>
            <numerusform>on %Ln sample</numerusform>
            <numerusform>on %Ln samples</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln samples</source>
        <translation>
            <numerusform>%Ln sample</numerusform>
            <numerusform>%Ln samples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::RunFolderModel</name>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::RunsDock</name>
    <message numerus="yes">
        <source>%n runs are in the trash</source>
        <translation>
            <numerusform>One run is in the trash</numerusform>
            <numerusform>%n runs are in the trash</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more runs: search, or select some of the rows.</source>
        <translation>
            <numerusform>%Ln more run: search, or select some of the rows.</numerusform>
            <numerusform>%Ln more runs: search, or select some of the rows.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::SchedulePreview</name>
    <message numerus="yes">
        <source>Drawn for %Ln steps; without data, their number is not known yet.</source>
        <translation>
            <numerusform>Drawn for %Ln step; without data, their number is not known yet.</numerusform>
            <numerusform>Drawn for %Ln steps; without data, their number is not known yet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln steps in this run. Rings can be dragged.</source>
        <translation>
            <numerusform>%Ln step in this run. Rings can be dragged.</numerusform>
            <numerusform>%Ln steps in this run. Rings can be dragged.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::SearchBar</name>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::SoundnessCard</name>
    <message numerus="yes">
        <source>In %Ln steps the loss of one batch fell from %1 to %2.</source>
        <translation>
            <numerusform>In %Ln step the loss of one batch fell from %1 to %2.</numerusform>
            <numerusform>In %Ln steps the loss of one batch fell from %1 to %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The gradients of %Ln parameters agree with finite differences of the loss; the largest relative error is %1.</source>
        <translation>
            <numerusform>The gradient of %Ln parameter agrees with finite differences of the loss; the relative error is %1.</numerusform>
            <numerusform>The gradients of %Ln parameters agree with finite differences of the loss; the largest relative error is %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The gradients of %Ln parameters do not agree with finite differences of the loss; the worst is %1 (relative error %2).</source>
        <translation>
            <numerusform>The gradient of %Ln parameter does not agree with finite differences of the loss: %1 (relative error %2).</numerusform>
            <numerusform>The gradients of %Ln parameters do not agree with finite differences of the loss; the worst is %1 (relative error %2).</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::StatisticsBox</name>
    <message numerus="yes">
        <source>Freeze batch-norm statistics (%Ln layers)</source>
        <translation>
            <numerusform>Freeze batch-norm statistics (%Ln layer)</numerusform>
            <numerusform>Freeze batch-norm statistics (%Ln layers)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Freeze batch-norm statistics (%1 of %Ln layers)</source>
        <translation>
            <numerusform>Freeze batch-norm statistics (%1 of %Ln layer)</numerusform>
            <numerusform>Freeze batch-norm statistics (%1 of %Ln layers)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::SweepDialog</name>
    <message numerus="yes">
        <source>%Ln runs: %1</source>
        <translation>
            <numerusform>%Ln run: %1</numerusform>
            <numerusform>%Ln runs: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::TrainPanel</name>
    <message numerus="yes">
        <source>Finished %Ln steps in %1.</source>
        <translation>
            <numerusform>Finished %Ln step in %1.</numerusform>
            <numerusform>Finished %Ln steps in %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Finished %Ln steps in %1; the best, from step %2, is kept.</source>
        <translation>
            <numerusform>Finished %Ln step in %1; the best, from step %2, is kept.</numerusform>
            <numerusform>Finished %Ln steps in %1; the best, from step %2, is kept.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Ends early after %Ln evaluations without improvement; so far %1.</source>
        <translation>
            <numerusform>Ends early after %Ln evaluation without improvement; so far %1.</numerusform>
            <numerusform>Ends early after %Ln evaluations without improvement; so far %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Training %1 of %2 values on %Ln samples.</source>
        <translation>
            <numerusform>Training %1 of %2 values on %Ln sample.</numerusform>
            <numerusform>Training %1 of %2 values on %Ln samples.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Measured every %Ln steps.</source>
        <translation>
            <numerusform>Measured after each step.</numerusform>
            <numerusform>Measured every %Ln steps.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::UntitledList</name>
    <message numerus="yes">
        <source>trained weights, %Ln steps</source>
        <translation>
            <numerusform>trained weights, %Ln step</numerusform>
            <numerusform>trained weights, %Ln steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Its %Ln runs and their checkpoints are permanently deleted.</source>
        <translation>
            <numerusform>Its %Ln run and its checkpoints are permanently deleted.</numerusform>
            <numerusform>Its %Ln runs and their checkpoints are permanently deleted.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::WayBar</name>
    <message numerus="yes">
        <source>%n nodes between %1 and %2.</source>
        <translation>
            <numerusform>%n node between %1 and %2.</numerusform>
            <numerusform>%n nodes between %1 and %2.</numerusform>
        </translation>
    </message>
</context>
</TS>
