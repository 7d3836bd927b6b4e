"""Write a `.sas7bcat`, the catalogue of labels beside files of SAS, with the library behind pyreadstat, which can do so unasked."""

from __future__ import annotations

import ctypes
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_DOUBLE = 5
_TAKE = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


def sas7bcat(formats: Mapping[str, Mapping[float, str]]) -> bytes:
    """Return the bytes of a catalogue with these formats."""
    from pyreadstat import _readstat_writer  # noqa: PLC0415 - an extra

    library = ctypes.CDLL(_readstat_writer.__file__)
    library.readstat_writer_init.restype = library.readstat_add_label_set.restype = ctypes.c_void_p
    written = io.BytesIO()
    take = _TAKE(lambda data, size, _: written.write(ctypes.string_at(data, size)))
    writer = ctypes.c_void_p(library.readstat_writer_init())
    library.readstat_set_data_writer(writer, take)
    for name, labels in formats.items():
        label_set = ctypes.c_void_p(library.readstat_add_label_set(writer, _DOUBLE, name.encode()))
        for code, label in labels.items():
            library.readstat_label_double_value(label_set, ctypes.c_double(code), label.encode())
    failures = (library.readstat_begin_writing_sas7bcat(writer, None), library.readstat_end_writing(writer))
    library.readstat_writer_free(writer)
    assert failures == (0, 0)
    return written.getvalue()
