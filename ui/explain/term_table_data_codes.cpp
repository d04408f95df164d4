// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> dataCodeTerms() {
    return {
        {"D001",
         tr("D001: an input without data"),
         tr("Each input of the model is fed from a column of the data. No column matches this one "
            "by name or shape; choose one on the data page."),
         "",
         {"binding", "target"}},
        {"D002",
         tr("D002: a column that doesn't fit its input"),
         tr("Type or shape of the column differs from what the input takes, for example pictures "
            "of another size. Choose another column, or change how the data is read, such as the "
            "size of pictures or the columns of a table."),
         "",
         {"binding", "shape"}},
        {"D003",
         tr("D003: a label beyond the model's classes"),
         tr("A model with n outputs knows the classes 0 to n − 1; the data contains a label "
            "outside this range. Number the classes from 0, or give the model a head with more "
            "classes."),
         "",
         {"class", "head", "logits"}},
        {"D004",
         tr("D004: a binding that names something unknown"),
         tr("The project binds a column or an input that does not exist, probably because the "
            "model or the data was replaced. Bind it again on the data page."),
         "",
         {"binding"}},
        {"D101",
         tr("D101: values that are NaN or infinite"),
         tr("NaN and infinity spread through every sum: one such value in a batch makes the loss "
            "and then all weights NaN. Leave these samples out, or fix the data at its source."),
         "",
         {"sample", "exploding"}},
        {"D102",
         tr("D102: values that never change"),
         tr("A feature that is the same in all samples can't distinguish them. It does no harm; "
            "leaving it out makes the model smaller."),
         "",
         {"sample", "normalization"}},
        {"D103",
         tr("D103: classes with hardly any samples"),
         tr("From a handful of samples, a model memorizes these samples rather than the class. "
            "Collect more of them, balance the classes in the loss, or leave the class out."),
         "",
         {"class", "overfitting", "augmentation", "D108"}},
        {"D104",
         tr("D104: labels without a class"),
         tr("Some labels are not among the classes of the data; −1 and 255 often mean “unknown”. "
            "Leave these samples out, or name all classes."),
         "",
         {"class", "target", "D003"}},
        {"D105",
         tr("D105: no samples"),
         tr("The data was read without errors, but nothing is left to train with: the file is "
            "empty, or the choices on the data page left out every sample."),
         "",
         {"sample", "D113"}},
        {"D106",
         tr("D106: duplicate samples"),
         tr("Copies count twice in the loss. If one copy is in the training and the other in the "
            "validation samples, validation rewards memorizing."),
         "",
         {"sample", "leakage", "D107"}},
        {"D107",
         tr("D107: validation samples used for training"),
         tr("Validation should show how the model does on samples that it has never seen. Samples "
            "that are in both make it look better than it is. Leave them out of validation."),
         "",
         {"leakage", "validation", "overfitting"}},
        {"D108",
         tr("D108: classes of very different size"),
         tr("With many samples of one class, always guessing it is a good bet, and the loss hardly "
            "notices the rare ones. Class weights make every class count the same; accuracy says "
            "little here, so look at each class's recall."),
         "",
         {"class", "cross-entropy", "recall", "D103"}},
        {"D109",
         tr("D109: features far from 1 in size"),
         tr("Initial weights and learning rates are made for inputs of about 1. With much larger "
            "ones, the first steps are too large or the learning rate must be tiny; among features "
            "of different sizes, the largest drowns out the others. Normalize them on the data "
            "page; pictures can also be divided by 255."),
         "",
         {"normalization", "learning-rate", "exploding"}},
        {"D110",
         tr("D110: missing values"),
         tr("Cells of the table are empty. Their rows were left out or filled with the column's "
            "mean, as chosen; both distort the data, the more values are missing."),
         "",
         {"sample", "normalization"}},
        {"D111",
         tr("D111: texts read as numbers"),
         tr("A text column is read as one number per different text, in alphabetical order. The "
            "model sees an order from small to large. If that means nothing, leave the column out "
            "or give it one column per text."),
         "",
         {"class", "sample"}},
        {"D112",
         tr("D112: a folder without pictures"),
         tr("In a folder of pictures, each subfolder is a class. This one has no file that can be "
            "read as PNG, JPEG, WebP or BMP, and was skipped."),
         "",
         {"class", "sample"}},
        {"D113",
         tr("D113: samples were left out"),
         tr("The choices on the data page left samples out. The message says how many and why; the "
            "files stay unchanged."),
         "",
         {"sample", "D101", "D106"}},
        {"D114",
         tr("D114: samples that can't be read"),
         tr("The files of some samples are damaged, truncated, missing or not pictures. Training "
            "would end at the first of them. Repair or remove them, or leave these samples out; "
            "the message names the first."),
         "",
         {"sample", "D113", "D115"}},
        {"D115",
         tr("D115: files that are not pictures"),
         tr("The folder of pictures has files that are not read: pictures in other formats such as "
            "GIF or TIFF, or no pictures at all. The message says how many of each kind. Convert "
            "those you want to train with."),
         "",
         {"sample", "D112", "D114"}},
        {"D116",
         tr("D116: only part of the samples was checked"),
         tr("The samples take more than half of the memory. Checking all of them would mean "
            "reading them twice, so only a part was checked, spread evenly over the file. Training "
            "stops at a value that is not a number, wherever it is; leaving out invalid samples "
            "checks all of them first."),
         "",
         {"sample", "D101", "D113"}},
        {"D120",
         tr("D120: inputs with a default value"),
         tr("Language models have inputs that data often lacks. They get their usual values: ones "
            "for an attention mask; 0, 1, 2 and so on for positions; nothing for caches. A bound "
            "column replaces them."),
         "",
         {"binding", "next-token"}},
        {"D121",
         tr("D121: sequences that are too short"),
         tr("The labels are the next tokens, but each sequence of this data has only one token, so "
            "none has a next one. Put longer pieces of text into each sample."),
         "",
         {"next-token", "sample"}},
        {"D122",
         tr("D122: labels that fit two class axes"),
         tr("The logits have as many classes as steps, so the shape of the labels does not show "
            "which axis holds the classes. Cross entropy uses axis 1, as PyTorch does, unless the "
            "loss says otherwise."),
         "",
         {"logits", "cross-entropy"}},
        {"D123",
         tr("D123: targets without a meaning for the loss"),
         tr("Each loss reads its targets in its own way: binary cross entropy takes 0 for no and 1 "
            "for yes, hinge takes -1 and 1, the Kullback-Leibler divergence takes probabilities. "
            "With other values, the loss can fall forever while nothing is learned. Change the "
            "labels, or choose a loss that fits them."),
         "",
         {"loss", "binding"}},
        {"D124",
         tr("D124: normalized as in training"),
         tr("A model expects inputs as in training, so samples are normalized with the means and "
            "deviations that the checkpoint keeps, not with their own."),
         "",
         {"normalization", "checkpoint"}},
        {"D125",
         tr("D125: a first row that looks like a sample"),
         tr("The first row of a table usually names its columns. This one holds numbers, as a "
            "sample does. If it is one, it is lost unless the table is read without a header."),
         "",
         {"sample"}},
        {"D126",
         tr("D126: names of classes taken as numbers"),
         tr("A loss of numbers, such as the squared error, measures distances. Classes that have "
            "names are numbered 0, 1, 2 and so on, so that the first and the third are farther "
            "apart than the first and the second. If their order means nothing, choose a loss of "
            "classes, such as cross entropy."),
         "",
         {"loss", "cross-entropy", "binding"}},
    };
}

}  // namespace temper::ui
