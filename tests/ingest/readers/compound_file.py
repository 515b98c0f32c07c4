"""Compound files of Microsoft's, in which Outlook saves a message: written here as far as tests need them."""

import struct
from datetime import UTC, datetime
from typing import Final

_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR, _SMALL, _CUTOFF = 512, 64, 4096
_NO: Final = 0xFFFFFFFF
Tree = dict[str, "bytes | Tree"]


def compound_file(tree: Tree) -> bytes:
    """Return a file with these streams (bytes) and storages (of further ones)."""
    entries: list[list[object]] = [["Root Entry", 5, _NO, _NO, _NO, b""]]
    _add(entries, 0, tree)
    sectors: list[bytes] = []
    fat: list[int] = []
    small, small_fat = b"", list[int]()

    def chain(data: bytes) -> int:
        if not data:
            return _END
        first, count = len(sectors), -(-len(data) // _SECTOR)
        padded = data.ljust(count * _SECTOR, b"\0")
        sectors.extend(padded[at * _SECTOR : (at + 1) * _SECTOR] for at in range(count))
        fat.extend([*range(first + 1, first + count), _END])
        return first

    begins = []
    for entry in entries:
        data = entry[5]
        assert isinstance(data, bytes)
        if entry[1] != 2 or not data:
            begins.append(_END if entry[1] == 2 else 0)
        elif len(data) >= _CUTOFF:
            begins.append(chain(data))
        else:
            first, count = len(small_fat), -(-len(data) // _SMALL)
            begins.append(first)
            small += data.ljust(count * _SMALL, b"\0")
            small_fat.extend([*range(first + 1, first + count), _END])
    begins[0] = chain(small)
    entries[0][5] = small
    small_at = chain(struct.pack(f"<{len(small_fat)}I", *small_fat))
    rows = b"".join(_row(entry, begin) for entry, begin in zip(entries, begins, strict=True))
    directory = chain(rows.ljust(-(-len(rows) // _SECTOR) * _SECTOR, b"\0"))
    fat_count = 1
    while fat_count * 128 < len(fat) + fat_count:
        fat_count += 1
    places = list(range(len(sectors), len(sectors) + fat_count))
    whole = [*fat, *[_FAT] * fat_count]
    whole += [_FREE] * (fat_count * 128 - len(whole))
    table = struct.pack(f"<{len(whole)}I", *whole)
    sectors += [table[at * _SECTOR : (at + 1) * _SECTOR] for at in range(fat_count)]
    header = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, b"", 0, fat_count,
        directory, 0, _CUTOFF, small_at if small_fat else _END, -(-len(small_fat) * 4 // _SECTOR), _END, 0,
    )  # fmt: skip
    header += struct.pack("<109I", *places, *[_FREE] * (109 - len(places)))
    return header + b"".join(sectors)


def _add(entries: list[list[object]], parent: int, tree: Tree) -> None:
    """Add what a storage holds, each entry the right neighbour of the one before."""
    before = None
    for name, content in sorted(tree.items(), key=lambda pair: (len(pair[0]), pair[0].upper())):
        number = len(entries)
        kind, data = (2, content) if isinstance(content, bytes) else (1, b"")
        entries.append([name, kind, _NO, _NO, _NO, data])
        if before is None:
            entries[parent][4] = number
        else:
            entries[before][3] = number
        before = number
        if isinstance(content, dict):
            _add(entries, number, content)


def _row(entry: list[object], begin: int) -> bytes:
    name, kind, left, right, child, data = entry
    assert isinstance(name, str)
    assert isinstance(data, bytes)
    written = f"{name}\0".encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16sIQQIQ", written, len(written), kind, 1, left, right, child, b"", 0, 0, 0, begin, len(data)
    )


def properties(texts: dict[int, str | bytes], fixed: dict[int, int | datetime], header: int) -> Tree:
    """Return the streams of the properties of a message, recipient or attachment, `header` bytes before their list."""
    found: Tree = {
        f"__substg1.0_{number:04X}{'001F' if isinstance(value, str) else '0102'}": (
            value.encode("utf-16-le") if isinstance(value, str) else value
        )
        for number, value in texts.items()
    }
    listed = b"".join(struct.pack("<HHIQ", 3, number, 6, _value(value)) for number, value in fixed.items())
    return {**found, "__properties_version1.0": bytes(header) + listed}


def _value(value: int | datetime) -> int:
    if isinstance(value, int):
        return value
    return int((value - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000
