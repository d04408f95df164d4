# SPDX-License-Identifier: Apache-2.0
"""Prints the scalars of a TensorBoard event file: step, tag, value.

An independent reader of TFRecord framing and the protobuf wire format that computes the CRC-32C bit
by bit from its polynomial. Reading fails if a checksum is wrong.
"""
import struct
import sys


def crc32c(data):
    """Source: RFC 3720, the Castagnoli polynomial 0x1EDC6F41, reflected, one bit at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 * (crc & 1))
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    place = 0
    while place < len(data):
        head = data[place : place + 8]
        (length,) = struct.unpack("<Q", head)
        (check,) = struct.unpack_from("<I", data, place + 8)
        body = data[place + 12 : place + 12 + length]
        (body_check,) = struct.unpack_from("<I", data, place + 12 + length)
        assert check == masked(head) and body_check == masked(body), "wrong checksum"
        yield body
        place += 16 + length


def varint(data, place):
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place


def fields(data):
    place = 0
    while place < len(data):
        key, place = varint(data, place)
        kind = key & 7
        if kind == 0:
            value, place = varint(data, place)
        elif kind == 1:
            value, place = struct.unpack_from("<d", data, place)[0], place + 8
        elif kind == 2:
            size, place = varint(data, place)
            value, place = data[place : place + size], place + size
        else:
            assert kind == 5, kind
            value, place = struct.unpack_from("<f", data, place)[0], place + 4
        yield key >> 3, value


def main():
    assert crc32c(b"123456789") == 0xE3069283  # the check value of CRC-32C
    for record in records(open(sys.argv[1], "rb").read()):
        event = dict(fields(record))
        if 3 in event:
            print("version", event[3].decode())
        for number, value in fields(event.get(5, b"")):
            scalar = dict(fields(value))
            print(event.get(2, 0), scalar[1].decode(), "%.9g" % scalar[2])


main()
