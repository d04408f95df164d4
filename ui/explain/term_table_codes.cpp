// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> codeTerms() {
    return {
        {"G001",
         tr("G001: an operator without a gradient"),
         tr("Between these parameters and the loss stands an operator for which no gradient is "
            "known, so nothing can tell them in which direction to move. Freeze the parameters "
            "behind it and train the others, replace the operator in the program that exported "
            "the model, or add a plugin that knows its gradient."),
         "",
         {"gradient", "operator", "frozen", "G002"}},
        {"G002",
         tr("G002: a gradient of zero"),
         tr("Rounding, comparing and the like change in steps: their derivative is zero wherever "
            "there is one, and whatever lies behind them never learns. Freeze it, or pass the "
            "gradient straight through, which treats the step as if it were a straight line."),
         "",
         {"straight-through", "gradient", "frozen"}},
        {"G003",
         tr("G003: a parameter that the loss doesn't depend on"),
         tr("However this parameter is changed, the loss stays the same: nothing reads it, or what "
            "does leads to another output. Freeze it, or let the loss read the output that it "
            "leads to."),
         "",
         {"parameter", "loss", "frozen"}},
        {"G004",
         tr("G004: a form of an operator without a gradient"),
         tr("The operator has a gradient, but not with these attributes or inputs: the message "
            "says which of them is in the way. Export the model with the form that it names, or "
            "freeze the parameters behind the node."),
         "",
         {"operator", "gradient", "frozen", "G001"}},
        {"G005",
         tr("G005: a parameter of whole numbers"),
         tr("Training changes numbers by small fractions, which whole numbers and truth values "
            "can't take. Such tensors are shapes, indices or tables as a rule and are better left "
            "as they are: freeze them."),
         "",
         {"parameter", "frozen", "constant"}},
        {"G006",
         tr("G006: a path that ends at whole numbers"),
         tr("What the parameters do arrives at a place that only takes whole numbers, such as the "
            "index of the largest value, and no gradient comes back from there. Let the loss read "
            "a value before that place, or freeze the parameters."),
         "",
         {"gradient", "loss", "frozen"}},
        {"G007",
         tr("G007: parameters behind a stop"),
         tr("Gradients stop at this node because somebody chose so. These parameters influence the "
            "loss through it only: they get no gradient and are frozen. Take the choice back to "
            "train them."),
         "",
         {"stop-gradient", "frozen", "gradient"}},
        {"T001",
         tr("T001: an operator that is not known"),
         tr("The model uses an operator of another version of ONNX or of somebody's own. Temper "
            "can't run it, so the model can be looked at and not trained. Export the model with an "
            "older opset or with standard operators, or add a plugin that has the operator."),
         "",
         {"operator", "opset", "G001"}},
        {"T002",
         tr("T002: a node that contradicts its operator"),
         tr("Types or shapes of the node's inputs can't go together, for example two matrices "
            "whose "
            "inner sizes differ. No runtime could compute the model; it was exported wrong or "
            "edited afterwards. The message names the sizes that were found and expected."),
         "",
         {"shape", "operator", "broadcast"}},
        {"W001",
         tr("W001: a weight written in as a constant"),
         tr("The exporter wrote a tensor into the model as a constant, and a layer uses it as a "
            "weight. Constants stay as they are unless they are named: tick it among the "
            "parameters to train it."),
         "",
         {"constant", "parameter"}},
        {"W002",
         tr("W002: a weight of whole numbers"),
         tr("The model was quantized: its weights are small whole numbers with a scale beside "
            "them, "
            "and gradients can't move them. Train the model as it was before, and quantize the "
            "result."),
         "",
         {"parameter", "G005"}},
        {"W003",
         tr("W003: weights inside a loop or a branch"),
         tr("Tensors in the body of If, Loop or Scan belong to that body and are not offered for "
            "training. If an input of the model chooses the branch, set this input to a constant: "
            "its row among the inputs of the model offers that. For a loop, export the model with "
            "these tensors as initializers of the main graph: a loop can read them there."),
         "",
         {"operator", "parameter"}},
        {"W004",
         tr("W004: batch norms merged into convolutions"),
         tr("For inference, exporters multiply a batch norm into the convolution before it. Such a "
            "model trains, only without what the norm did for training. Where it matters, export "
            "again in training mode and without constant folding."),
         "",
         {"batch-norm", "constant"}},
        {"W005",
         tr("W005: statistics that would train"),
         tr("Tensors are called like the running mean or variance of a batch norm that was taken "
            "apart. They were measured from data; gradients would move them as if they were "
            "weights, and the model could get worse without anybody seeing why. Freeze them."),
         "",
         {"batch-norm", "frozen"}},
        {"W006",
         tr("W006: a constant that is defined several times"),
         tr("Every value of a model has a name of its own, but this constant has several "
            "definitions, and they differ. ONNX Runtime takes the last one wherever the name is "
            "read, and so does Temper."),
         "",
         {"constant"}},
        {"W007",
         tr("W007: numbers in half precision"),
         tr("Weights or inputs of the model's file are float16 or bfloat16. Small steps of "
            "training "
            "vanish in so few digits, so the model is read with float32 in their place. It is "
            "exported "
            "in float32, too, unless the export asks for the types of the file."),
         "",
         {"parameter"}},
        {"W008",
         tr("W008: a fixed batch size"),
         tr("The file fixes how many samples the model takes at a time, usually one. Training is "
            "slow and unsteady then, because each step sees so little. If nothing in the model "
            "counts on the number, it can be made free; that is checked with inputs made up for "
            "the purpose before anything changes."),
         "",
         {"batch"}},
        {"S001",
         tr("S001: copies of one parameter"),
         tr("The exporter wrote a parameter into the model several times, for example an embedding "
            "and its transpose for the last layer. As in the original network, they train as one: "
            "one tensor stays, and the model makes the others of it."),
         "",
         {"parameter"}},
        {"S002",
         tr("S002: merged parameters parted"),
         tr("Parameters of fresh layers are often equal, and the exporter kept one tensor for all "
            "of them. Trained like that they would stay equal. What the exporter wrote about each "
            "node says which were meant: each has a tensor of its own again."),
         "",
         {"parameter"}},
        {"S003",
         tr("S003: parameters that the exporter computed away"),
         tr("The model has tensors that were computed from parameters of the original network, or "
            "it lost some of them. It computes the same; training moves what is there. The message "
            "names these tensors, and the parameters if the file tells them. The hint says how to "
            "export so that the parameters stay."),
         "",
         {"parameter", "batch-norm"}},
        {"S005",
         tr("S005: batch normalization put back"),
         tr("Batch normalizations that the exporter had merged into layers are there again, as you "
            "chose. Before the first step, the first batches of the training samples give their "
            "running statistics, and scale and shift such values that the model predicts what it "
            "did. From then on they train."),
         "",
         {"batch-norm", "parameter"}},
        {"S004",
         tr("S004: tensors that may belong together"),
         tr("Several tensors hold the same numbers, or several layers read one tensor of ones or "
            "zeros, and the model does not say why. They may be one parameter, or several. The "
            "hint names the option for either."),
         "",
         {"parameter"}},
        {"A001",
         tr("A001: a pattern that matches nothing"),
         tr("A name or pattern among the trainable or frozen parameters or of a group fits no "
            "parameter of this model, often because it was written for another one. Names are "
            "compared with upper and lower case; * stands for any letters."),
         "",
         {"parameter", "frozen", "group"}},
        {"A002",
         tr("A002: both trainable and frozen"),
         tr("A parameter can't train and stay as it is at once. Take its name out of one of the "
            "two lists."),
         "",
         {"frozen", "parameter"}},
        {"A003",
         tr("A003: something that can't be trained"),
         tr("A tensor that is named as trainable is none: the statistics of a batch norm are "
            "measured, not learned, and constants, shapes and indices belong to the model's "
            "structure. Leave it out of the trainable ones."),
         "",
         {"batch-norm", "constant", "parameter"}},
        {"A004",
         tr("A004: it is not clear what the loss reads"),
         tr("The loss compares one output of the model with the target. This model has several "
            "outputs, or none of the name that was given; choose one of them."),
         "",
         {"loss", "target"}},
        {"A005",
         tr("A005: the target's name is taken"),
         tr("The right answers come into the training graph as one more input, and every value of "
            "a graph has a name of its own. The model uses this one already: choose another."),
         "",
         {"target", "gradient-graph"}},
        {"A006",
         tr("A006: an extra output that doesn't exist"),
         tr("Further values can be given out beside the loss, but only those that the model "
            "computes, and each of them once."),
         "",
         {"artifact", "graph"}},
        {"A007",
         tr("A007: nothing trains"),
         tr("All parameters are frozen or none can be trained, so an optimizer has nothing to do. "
            "Choose parameters that train. If all weights lie in the branches of an If, set the "
            "input "
            "that chooses the branch to a constant. If only gradients or the loss are wanted, "
            "choose "
            "no optimizer."),
         "",
         {"parameter", "frozen", "optimizer"}},
        {"A008",
         tr("A008: the loss doesn't fit"),
         tr("The loss can't read what it is given: the shape or type is another one, a name is "
            "not known, or a number lies outside its range. The message says what the loss "
            "expects; the list of losses says what each is for."),
         "",
         {"loss", "target", "shape"}},
        {"A009",
         tr("A009: a name that training graphs use"),
         tr("In a training graph, gradients are called after their values: the gradient of x is "
            "x_grad. An input of the model that is called so already would be mixed up with it. "
            "Rename the input in the program that exported the model."),
         "",
         {"gradient-graph", "gradient"}},
        {"A010",
         tr("A010: nothing to pass straight through"),
         tr("An operator or node was chosen to let gradients pass as if it were not there. The "
            "model has none of that name, or it is of a kind for which that makes no sense; only "
            "steps such as Round, Floor or Sign qualify."),
         "",
         {"straight-through", "G002"}},
        {"A014",
         tr("A014: nothing to stop gradients at"),
         tr("Gradients are to stop at a node or value that the model doesn't have, often because "
            "the choice was made for another model. Names are compared with upper and lower case; "
            "* stands for any letters."),
         "",
         {"stop-gradient", "gradient"}},
        {"A015",
         tr("A015: no batch normalization to keep"),
         tr("Batch normalizations of some name are to keep their statistics in training, and the "
            "model has none of that name. Exporters often merge them into the convolutions before "
            "them; then there is nothing to keep."),
         "",
         {"batch-norm", "W004"}},
        {"A012",
         tr("A012: a group's number is out of range"),
         tr("Groups of parameters have a factor for the learning rate and a weight decay of their "
            "own. Both have to be zero or more; a factor of zero stops learning there."),
         "",
         {"group", "learning-rate", "weight-decay"}},
        {"A013",
         tr("A013: softmax or sigmoid is applied twice"),
         tr("The loss turns numbers into probabilities itself, and the model has done so already. "
            "Applied twice, the differences almost vanish: training runs, slowly, and never gets "
            "sure. Let the loss read the value before, as the button of the problem does; the "
            "exported model stays as it is."),
         "",
         {"logits", "cross-entropy", "bce"}},
        {"A020",
         tr("A020: tokens that can't be labels"),
         tr("The labels are to be the next tokens. It is not clear which input of the model holds "
            "the tokens, or it is not of their form: whole numbers, with an axis for the samples "
            "and one for at least two positions. Name the input behind the output that the loss "
            "reads."),
         "",
         {"next-token", "loss"}},
        {"A021",
         tr("A021: outputs that are left aside"),
         tr("Language models give out caches and hidden states beside their logits. The loss "
            "reads the logits; the others stay in the model and can be exported."),
         "",
         {"logits", "loss"}},
        {"A022",
         tr("A022: labels made of the tokens"),
         tr("No labels are needed in the data: each position is to predict the token behind it. "
            "Where the attention mask is 0, or at the padding token if one is named, there is no "
            "label."),
         "",
         {"next-token", "target"}},
        {"A023",
         tr("A023: artifacts that ONNX Runtime does not load"),
         tr("ONNX Runtime trains models up to opset 21. This one is newer and has a node that no "
            "older opset can say, so its artifacts train in Temper only."),
         "",
         {"opset", "gradient-graph"}},
        {"D001",
         tr("D001: an input without data"),
         tr("Each input of the model is fed from a column of the data. For this one no column was "
            "found by name or form; choose it on the data page."),
         "",
         {"binding", "target"}},
        {"D002",
         tr("D002: a column that doesn't fit its input"),
         tr("Type or shape of the column are not those that the input takes, for example pictures "
            "of another size. Choose another column, or change how the data is read, such as the "
            "size of pictures or the columns of a table."),
         "",
         {"binding", "shape"}},
        {"D003",
         tr("D003: a label beyond the model's classes"),
         tr("A model with n outputs knows the classes 0 to n − 1; the data holds a label outside "
            "of them. Number the classes from 0, or give the model a head with more classes."),
         "",
         {"class", "head", "logits"}},
        {"D004",
         tr("D004: a binding that names something unknown"),
         tr("The project binds a column or an input that is not there, most likely because the "
            "model or the data was exchanged. Bind it anew on the data page."),
         "",
         {"binding"}},
        {"D101",
         tr("D101: values that are no numbers"),
         tr("NaN and infinity spread through every sum they take part in: one such value in a "
            "batch makes the loss and then all weights NaN. Leave these samples out, or mend the "
            "data where it comes from."),
         "",
         {"sample", "exploding"}},
        {"D102",
         tr("D102: values that never change"),
         tr("A feature that is the same in all samples can't tell them apart. It does no harm; "
            "leaving it out makes the model smaller."),
         "",
         {"sample", "normalization"}},
        {"D103",
         tr("D103: classes with hardly any samples"),
         tr("From a handful of samples a model learns these samples by heart rather than the "
            "class. "
            "Gather more of them, weigh the classes in the loss, or leave the class out."),
         "",
         {"class", "overfitting", "augmentation", "D108"}},
        {"D104",
         tr("D104: labels that are no class"),
         tr("Some labels are none of the classes that the data names; −1 and 255 often mean "
            "“unknown”. Leave these samples out, or name all classes."),
         "",
         {"class", "target", "D003"}},
        {"D105",
         tr("D105: no samples"),
         tr("The data was read without a fault, but nothing is left to train with: the file is "
            "empty, or every sample was left out by the choices on the data page."),
         "",
         {"sample", "D113"}},
        {"D106",
         tr("D106: samples that are there twice"),
         tr("Copies count twice in the loss, and when one copy lands in the training and the other "
            "in the validation, the validation praises what was learned by heart."),
         "",
         {"sample", "leakage", "D107"}},
        {"D107",
         tr("D107: validation samples that are trained with"),
         tr("The validation is to say how the model does with what it has never seen. Samples that "
            "are in both make it look better than it is. Leave them out of the validation."),
         "",
         {"leakage", "validation", "overfitting"}},
        {"D108",
         tr("D108: classes of very different size"),
         tr("With many samples of one class, always guessing it is a good bet, and the loss hardly "
            "notices the rare ones. Class weights let every class count the same; accuracy alone "
            "says little here, look at each class's recall."),
         "",
         {"class", "cross-entropy", "recall", "D103"}},
        {"D109",
         tr("D109: features far from the size of 1"),
         tr("Initial weights and learning rates are made for inputs of about 1. Much larger ones "
            "make the first steps leap or the learning rate tiny, and of features of different "
            "size the largest drowns the others. Normalise them on the data page; pictures may be "
            "divided by 255 as well."),
         "",
         {"normalization", "learning-rate", "exploding"}},
        {"D110",
         tr("D110: missing values"),
         tr("Cells of the table are empty. Their rows were left out or filled with the column's "
            "mean, as chosen; both bend the data a little, the more the more is missing."),
         "",
         {"sample", "normalization"}},
        {"D111",
         tr("D111: texts that became numbers"),
         tr("A column of texts is read as one number for each different text, in the order of the "
            "alphabet. The model sees an order there, small to large. Where that means nothing, "
            "leave the column out or give it one column for each text."),
         "",
         {"class", "sample"}},
        {"D112",
         tr("D112: a folder without pictures"),
         tr("In a folder of pictures each folder within it is a class. This one holds no file that "
            "can be read as PNG, JPEG, WebP or BMP, and was passed over."),
         "",
         {"class", "sample"}},
        {"D113",
         tr("D113: samples were left out"),
         tr("What was chosen on the data page to leave samples out has done so. The message says "
            "how many and why; the files stay as they are."),
         "",
         {"sample", "D101", "D106"}},
        {"D114",
         tr("D114: samples that can't be read"),
         tr("Files of some samples are damaged, cut off, gone or no pictures. Training would end "
            "when the first of them has its turn. Mend or remove them, or leave these samples out; "
            "the message names the first."),
         "",
         {"sample", "D113", "D115"}},
        {"D115",
         tr("D115: files that are no pictures"),
         tr("In the folder of pictures there are files that are not read: pictures of other "
            "formats such as GIF or TIFF, or no pictures at all. The message says how many of "
            "each kind. Convert what is to be trained with."),
         "",
         {"sample", "D112", "D114"}},
        {"D116",
         tr("D116: a part of the samples was looked at"),
         tr("The samples are larger than half of the memory. To look at all of them would mean to "
            "read them twice, so that only a part was looked at, spread evenly over the file. "
            "Training stops at a value that is not a number, wherever it is; leaving out invalid "
            "samples looks at all of them before."),
         "",
         {"sample", "D101", "D113"}},
        {"D120",
         tr("D120: inputs with a usual value"),
         tr("Language models have inputs that data often lack. They are fed with what they "
            "usually hold: an attention mask with ones, positions with 0, 1, 2 and so on, caches "
            "with nothing. A column that is bound takes their place."),
         "",
         {"binding", "next-token"}},
        {"D121",
         tr("D121: sequences that are too short"),
         tr("The labels are the next tokens, and each sequence of this data has one token only: "
            "none has a next one. Put longer pieces of text into each sample."),
         "",
         {"next-token", "sample"}},
        {"D122",
         tr("D122: labels that fit classes along two axes"),
         tr("The logits have as many classes as steps, so the shape of the labels does not tell "
            "along which axis the classes lie. Cross entropy reads axis 1, as PyTorch does, unless "
            "the loss says otherwise."),
         "",
         {"logits", "cross-entropy"}},
        {"D123",
         tr("D123: targets that the loss gives no meaning to"),
         tr("Each loss reads its targets in its own way: binary cross entropy takes 0 for no and 1 "
            "for yes, hinge takes -1 and 1, the Kullback-Leibler divergence takes probabilities. "
            "With other values the loss can fall without end and nothing is learned. Change the "
            "labels, or choose a loss that fits them."),
         "",
         {"loss", "binding"}},
        {"P001",
         tr("P001: the training couldn't be prepared"),
         tr("Something outside the model and the choices went wrong while the training was made "
            "ready, such as a file that can't be read or a memory that is too small. The message "
            "says what; the project is not changed."),
         "",
         {"artifact", "gradient-graph"}},
        {"P002",
         tr("P002: the data couldn't be opened"),
         tr("The data of this project can't be read: it was moved, is damaged, or is of a form "
            "that is not known. Choose it anew on the data page; nothing else is lost."),
         "",
         {"sample", "binding"}},
        {"R001",
         tr("R001: a number that is NaN or infinite"),
         tr("A step gave a loss or a gradient that is no number any more, and the run ended before "
            "it reached the parameters. The rate is too high as a rule, or the data holds such a "
            "value: the message names the node where it came up first. Roll back and go on at a "
            "lower rate, clip the gradients, or mend the data."),
         "",
         {"exploding", "learning-rate", "clipping", "D106", "R002"}},
        {"R002",
         tr("R002: a loss that runs away"),
         tr("The numbers are still finite, but the loss, smoothed by the median of 32 steps, "
            "stays far above where it began, or has gone back there after it had come down, and "
            "does not come down again. The rate is too high as a rule. Roll back to a state before "
            "it went up, and go on at a lower rate, with clipping or a warm-up. Where such losses "
            "are right, switch the guard off in the settings of the run."),
         "",
         {"exploding", "learning-rate", "clipping", "warmup", "R001"}},
    };
}

}  // namespace temper::ui
