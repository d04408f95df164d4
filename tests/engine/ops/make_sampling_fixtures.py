# SPDX-License-Identifier: Apache-2.0
"""Makes sampling_fixtures.npz: results of PyTorch and torchvision for operators that sample images.

Arrays are named <case>/<input> and <case>/y. Run it with python3-torch and python3-torchvision:

    /usr/bin/python3 tests/engine/ops/make_sampling_fixtures.py
"""
import os

import numpy as np
import torch
import torch.nn.functional as F
import torchvision.ops as vision

torch.manual_seed(7)
arrays = {}


def add(case, y, **inputs):
    for name, value in inputs.items():
        arrays[f"{case}/{name}"] = value.numpy()
    arrays[f"{case}/y"] = y.numpy()


def rand(*shape, low=-1.0, high=1.0):
    return torch.rand(*shape) * (high - low) + low


def resizes():
    x = rand(2, 3, 9, 11)
    for mode in ("bilinear", "bicubic"):
        add(f"resize_{mode}_antialias",
            F.interpolate(x, size=(4, 6), mode=mode, antialias=True), x=x)
        add(f"resize_{mode}_larger", F.interpolate(x, size=(13, 17), mode=mode), x=x)
        add(f"resize_{mode}_aligned",
            F.interpolate(x, size=(5, 17), mode=mode, align_corners=True), x=x)
    volume = rand(1, 2, 3, 4, 5)
    add("resize_trilinear", F.interpolate(volume, size=(5, 3, 8), mode="trilinear"), x=volume)


def grids():
    x, volume = rand(2, 3, 5, 4), rand(2, 2, 3, 4, 5)
    for aligned in (False, True):
        for padding in ("zeros", "border", "reflection"):
            for mode in ("bilinear", "nearest", "bicubic"):
                grid = rand(2, 4, 6, 2, low=-1.9, high=1.9)
                add(f"grid_{mode}_{padding}_{int(aligned)}",
                    F.grid_sample(x, grid, mode, padding, aligned), x=x, grid=grid)
                if mode == "bicubic":
                    continue
                grid = rand(2, 2, 3, 4, 3, low=-1.9, high=1.9)
                add(f"grid_volume_{mode}_{padding}_{int(aligned)}",
                    F.grid_sample(volume, grid, mode, padding, aligned), x=volume, grid=grid)
        theta = rand(2, 2, 3)
        add(f"affine_{int(aligned)}", F.affine_grid(theta, (2, 3, 4, 5), aligned), theta=theta)
        theta = rand(2, 3, 4)
        add(f"affine_volume_{int(aligned)}", F.affine_grid(theta, (2, 1, 3, 4, 5), aligned),
            theta=theta)


def columns():
    x = rand(2, 3 * 6, 12)
    add("col2im", F.fold(x, (5, 6), (2, 3), dilation=(2, 1), padding=(1, 0), stride=(2, 1)), x=x)


def regions():
    x = rand(2, 3, 10, 12)
    boxes = torch.tensor([[0, 1.0, 2.0, 9.0, 17.5], [1, 3.5, 0.0, 21.0, 6.0],
                          [1, -4.0, -3.0, 5.0, 30.0], [0, 6.0, 6.0, 6.5, 7.0]])
    for aligned in (False, True):
        for ratio in (2, 0):
            y = vision.roi_align(x, boxes, (3, 4), 0.5, ratio or -1, aligned)
            add(f"roi_align_{int(aligned)}_{ratio}", y, x=x, rois=boxes[:, 1:],
                batch=boxes[:, 0].long())
    add("roi_pool", vision.roi_pool(x, boxes, (3, 4), 0.5), x=x, rois=boxes)


def deformations():
    x, w, b = rand(2, 4, 6, 7), rand(6, 2, 3, 2), rand(6)
    options = dict(stride=(2, 1), padding=(1, 1), dilation=(1, 2))
    shape = vision.deform_conv2d(x, rand(2, 24, 3, 7), w, b, **options).shape
    assert shape[2:] == (3, 7), shape
    offset, mask = rand(2, 24, 3, 7, low=-2, high=2), rand(2, 12, 3, 7, low=0)
    add("deform", vision.deform_conv2d(x, offset, w, b, mask=mask, **options), x=x, w=w,
        offset=offset, b=b, mask=mask)
    add("deform_plain", vision.deform_conv2d(x, offset, w, **options), x=x, w=w, offset=offset)


for make in (resizes, grids, columns, regions, deformations):
    make()
np.savez_compressed(os.path.join(os.path.dirname(__file__), "sampling_fixtures.npz"), **arrays)
print(len(arrays), "arrays")
