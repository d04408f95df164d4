# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX models and .npz files of any size with the standard library only.

Source: the fields' numbers are those of onnx.proto (ONNX 1.23); the format of .npy is that of
NumPy's manual, "numpy.lib.format".
"""
import math
import random
import struct
import zipfile

FLOAT, INT64 = 1, 7  # TensorProto.DataType
NPY_TYPES = {FLOAT: "<f4", INT64: "<i8"}
CHUNK = 1 << 16  # numbers


def varint(value):
    data = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)


def field(number, value):
    """A field of a message: of an integer, or of text, bytes or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(number, values):
    return b"".join(field(number, value) for value in values)


def attribute(name, value):
    if isinstance(value, float):
        content = varint(2 << 3 | 5) + struct.pack("<f", value) + field(20, 1)
    elif isinstance(value, int):
        content = field(3, value) + field(20, 2)
    else:
        content = fields(8, value) + field(20, 7)
    return field(1, name) + content


def value_info(name, dtype, shape):
    dims = fields(1, [field(2 if isinstance(dim, str) else 1, dim) for dim in shape])
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, dims)))


class Numbers:
    """Random numbers, all different, made without a loop over them."""

    def __init__(self, seed=0):
        self.generator = random.Random(seed)

    def floats(self, count, scale):
        """Yields bytes: numbers of both signs, from half of `scale` (a power of 2 near it) on."""
        exponent = struct.pack("<I", round(math.log2(scale)) + 126 << 23)
        yield from self.chunks(count, b"\xff\xff\x7f\x80", exponent)

    def integers(self, count, classes):
        """Yields bytes: classes below `classes`, which is a power of 2 up to 256."""
        yield from self.chunks(count, bytes([classes - 1, *[0] * 7]), bytes(8))

    def chunks(self, count, random_bits, other_bits):
        """Yields the bytes of `count` numbers, each with these bits."""
        for begin in range(0, count, CHUNK):
            numbers = min(CHUNK, count - begin)
            size = numbers * len(random_bits)
            mask, rest = (int.from_bytes(bits * numbers, "little")
                          for bits in (random_bits, other_bits))
            yield (self.generator.getrandbits(8 * size) & mask | rest).to_bytes(size, "little")


class Model:
    """A model that is built node by node. Values are names."""

    def __init__(self, shape, dtype=FLOAT):
        """shape: that of the input 'input'."""
        self.inputs = [value_info("input", dtype, shape)]
        self.nodes, self.initializers, self.count = [], [], 0
        self.numbers = Numbers()

    def node(self, op, inputs, **attributes):
        self.count += 1
        output = f"v{self.count}"
        self.nodes.append(fields(1, inputs) + field(2, output) + field(3, f"n{self.count}") +
                          field(4, op) + fields(5, [attribute(*item) for item in
                                                    attributes.items()]))
        return output

    def parameter(self, shape, scale):
        return self.initializer(FLOAT, shape, scale)

    def integers(self, values):
        return self.initializer(INT64, [len(values)], struct.pack(f"<{len(values)}q", *values))

    def initializer(self, dtype, shape, content):
        """content: bytes, or the scale of random numbers."""
        name = f"p{len(self.initializers)}"
        self.initializers.append((name, dtype, shape, content))
        return name

    def save(self, path, output, shape):
        """Writes the model, and its parameters to PATH.data. output: the value that becomes
        'output'; shape: its shape."""
        nodes = [*self.nodes, field(1, output) + field(2, "output") + field(4, "Identity")]
        with open(f"{path}.data", "wb") as data:
            tensors = [self.tensor(path, data, *one) for one in self.initializers]
        graph = (fields(1, nodes) + field(2, "g") + fields(5, tensors) + fields(11, self.inputs) +
                 field(12, value_info("output", FLOAT, shape)))
        with open(path, "wb") as file:
            file.write(field(1, 8) + field(8, field(1, "") + field(2, 17)) + field(7, graph))

    def tensor(self, path, data, name, dtype, shape, content):
        head = fields(1, shape) + field(2, dtype) + field(8, name)
        if isinstance(content, bytes):
            return head + field(9, content)
        begin = data.tell()
        for chunk in self.numbers.floats(math.prod(shape), content):
            data.write(chunk)
        place = {"location": f"{path}.data".rpartition("/")[2], "offset": str(begin),
                 "length": str(data.tell() - begin)}
        return head + fields(13, [field(1, key) + field(2, value) for key, value in
                                  place.items()]) + field(14, 1)


def write_npz(path, arrays):
    """arrays: name -> (dtype, shape, an iterable of bytes)."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, (dtype, shape, chunks) in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                entry.write(npy_head(dtype, shape))
                for chunk in chunks:
                    entry.write(chunk)


def npy_head(dtype, shape):
    dims = "".join(f"{dim}, " for dim in shape)
    text = f"{{'descr': '{NPY_TYPES[dtype]}', 'fortran_order': False, 'shape': ({dims}), }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def floats(shape):
    """An array of write_npz()."""
    return FLOAT, shape, Numbers(1).floats(math.prod(shape), 1.0)


def labels(shape, classes):
    """An array of write_npz()."""
    return INT64, shape, Numbers(2).integers(math.prod(shape), classes)
