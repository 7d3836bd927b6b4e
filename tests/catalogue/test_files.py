"""Rows 27 to 43: files that are not what they should be."""

from __future__ import annotations

import gzip
import io
import pickle
import unicodedata
import zipfile

import numpy as np
import pytest

from permaudit.data import files as file_checks

from .conftest import CANARY

HEADER = b"FICA,FEDTAX,INTVAL\n"
SIDES = ["original.csv", "masked.csv"]


@pytest.fixture
def put(write_audit):
    """Return a function that writes an audit in which one file has this content, and returns the audit's path."""

    def write(content: bytes, name: str = "masked.csv", **changes):
        audit = write_audit(**changes)
        (audit.parent / name).write_bytes(content)
        return audit

    return write


@pytest.fixture
def lines(masked):
    """Return a good release as lines."""
    return masked.to_csv(index=False).encode().splitlines(keepends=True)


# --------------------------------------------------------------------------- delimited text


@pytest.mark.parametrize("name", SIDES)
def test_row_27_an_empty_file_is_refused(put, run, name):
    run(put(b"", name)).refused(f"{name}: is empty")


@pytest.mark.parametrize("name", SIDES)
@pytest.mark.parametrize("header", [HEADER, HEADER.rstrip()], ids=["with a line end", "without"])
def test_row_27_a_header_alone_is_refused(put, run, name, header):
    run(put(header, name)).refused(f"{name}: has no records")


@pytest.mark.parametrize(("mark", "hint"), [(b";", "';'"), (b"\t", r'"\t"'), (b"|", "'|'")])
def test_row_28_another_delimiter_is_refused_with_the_option_to_set(put, run, lines, mark, hint):
    content = b"".join(lines).replace(b",", mark)
    run(put(content)).refused(f"masked.csv:1: the header is one column; to have several, say delimiter: {hint}")


def test_row_28_the_delimiter_can_be_declared(put, run, lines):
    candidate = {"path": "masked.csv", "kind": "masked", "format": "csv", "options": {"delimiter": ";"}}
    assert run(put(b"".join(lines).replace(b",", b";"), candidates={"noisy": candidate})).code == 0


@pytest.mark.parametrize("cell", ["1234,5", "1,234", "1.234,50"])
@pytest.mark.parametrize("name", SIDES)
def test_row_29_decimal_commas_and_thousands_are_refused_with_a_hint(put, run, people, name, cell):
    frame = people.astype(object)
    frame.iloc[6, 0] = cell
    ran = run(put(frame.to_csv(index=False).encode(), name))
    ran.refused(f"{name}: column 'FICA' has 1 value that is not a number (first in record 7)", "decimal point")
    assert cell not in ran.err


def test_row_29_the_decimal_comma_can_be_declared(put, run, masked):
    content = masked.to_csv(index=False, sep=";", decimal=",").encode()
    options = {"delimiter": ";", "decimal": ","}
    candidate = {"path": "masked.csv", "kind": "masked", "format": "csv", "options": options}
    assert run(put(content, candidates={"noisy": candidate})).code == 0


def test_row_30_text_in_another_encoding_is_refused_with_the_option_to_set(put, run, people):
    frame = people.assign(ORT="Köln")
    content = frame.to_csv(index=False).encode("cp1252")
    ran = run(put(content, "original.csv", identifiers=["ORT"]))
    ran.refused("original.csv:2: ", "encoding: ")
    assert "Köln" not in ran.err


@pytest.mark.parametrize("name", SIDES)
def test_row_31_a_first_record_with_one_field_more_is_refused_with_its_line(put, run, lines, name):
    lines[1] = CANARY.encode() + b"," + lines[1]
    run(put(b"".join(lines), name)).refused(f"{name}:2: has 4 fields where the header has 3")


def test_row_31_a_file_whose_records_all_have_one_field_more_is_refused(put, run, lines):
    content = lines[0] + b"".join(CANARY.encode() + b"," + line for line in lines[1:])
    run(put(content)).refused("masked.csv:2: has 4 fields where the header has 3", "195 more lines")


def test_row_32_a_delimiter_at_the_end_of_every_line_is_refused(put, run, lines):
    content = b"".join(line.rstrip() + b",\n" for line in lines)
    run(put(content)).refused("masked.csv:1: ", "the line ends with a delimiter")


@pytest.mark.parametrize("place", [1, 100, -1])
def test_row_33_a_quotation_mark_that_is_never_closed_is_refused_with_its_line(put, run, lines, place):
    lines[place] = b'"' + CANARY.encode() + b"," + lines[place]
    ran = run(put(b"".join(lines)))
    ran.refused(f"masked.csv:{place % len(lines) + 1}: a quotation mark is opened here and never closed")


def test_row_34_a_repeated_name_is_refused(put, run, lines):
    run(put(HEADER.replace(b"INTVAL", b"FICA") + b"".join(lines[1:]))).refused(
        "masked.csv:1: column 'FICA' stands 2 times"
    )


@pytest.mark.parametrize("name", SIDES)
def test_row_35_a_nul_in_a_cell_is_refused_with_its_line(put, run, lines, name):
    lines[9] = b"\0" + lines[9]
    run(put(b"".join(lines), name)).refused(f"{name}:10: ", "NUL")


@pytest.mark.parametrize(
    "there",
    [unicodedata.normalize("NFD", "Größe"), "Größe ", "größe", "Gro\u0308ße"],
    ids=["decomposed", "trailing blank", "lower case", "combining mark"],
)
def test_row_36_a_name_that_only_looks_the_same_is_refused_with_a_suggestion(write_audit, run, people, masked, there):
    names = {"FICA": unicodedata.normalize("NFC", "Größe")}
    attributes = dict.fromkeys(people.rename(columns=names).columns, "numeric")
    frames = {"original.csv": people.rename(columns=names), "masked.csv": masked.rename(columns={"FICA": there})}
    ran = run(write_audit(files=frames, attributes=attributes))
    ran.refused("masked.csv: has no column 'Größe'; did you mean")


def countries(people, masked):
    """Add a column of country codes, one of which many readers take for a missing value."""
    rng = np.random.default_rng(3)
    codes = ["AT", "DE", "NA", "ZA"]
    first, second = (rng.choice(codes, len(people)) for _ in range(2))
    return people.assign(LAND=first), masked.assign(LAND=second)


def test_row_37_a_country_called_na_is_a_country(audit_of, run, people, masked):
    original, release = countries(people, masked)
    land = {"type": "ordinal", "order": ["AT", "DE", "NA", "ZA"]}
    attributes = {**dict.fromkeys(people.columns, "numeric"), "LAND": land}
    ran = run(audit_of(original, release, attributes=attributes))
    assert ran.code == 0
    (note,) = [note for note in ran.candidate["columns"] if note["attribute"] == "LAND"]
    assert (note["missing_original"], note["missing_released"]) == (0, 0)


def test_row_37_na_is_missing_where_that_is_declared(audit_of, run, people, masked):
    original, release = countries(people, masked)
    land = {"type": "ordinal", "order": ["AT", "DE", "ZA"], "missing": "lowest"}
    audit = audit_of(
        original,
        release,
        attributes={**dict.fromkeys(people.columns, "numeric"), "LAND": land},
        original={"path": "original.csv", "format": "csv", "options": {"missing": ["NA"]}},
        candidates={"noisy": {"path": "masked.csv", "kind": "masked", "format": "csv", "options": {"missing": ["NA"]}}},
    )
    ran = run(audit)
    (note,) = [note for note in ran.candidate["columns"] if note["attribute"] == "LAND"]
    assert note["missing_original"] == int((original["LAND"] == "NA").sum())
    assert note["missing_released"] == int((release["LAND"] == "NA").sum())


def test_row_38_codes_keep_their_zeros(audit_of, run, people, masked):
    codes = ["7", "07", "007"]
    original = people.assign(CODE=[codes[number % 3] for number in range(len(people))])
    release = masked.assign(CODE=[codes[number % 2] for number in range(len(people))])
    numeric = dict.fromkeys(people.columns, "numeric")
    as_code = run(audit_of(original, release, attributes={**numeric, "CODE": {"type": "ordinal", "order": codes}}))
    assert as_code.candidate["attributes"] == [*people.columns, "CODE"]
    as_number = run(audit_of(original, release, attributes={**numeric, "CODE": "numeric"}))
    assert as_number.candidate["excluded"][0]["attribute"] == "CODE"  # 7, 07 and 007 are one number


# --------------------------------------------------------------------------- other formats


class Trap:
    """Something that leaves a trace when it is unpickled."""

    def __reduce__(self):
        return (open, ("trace-of-a-pickle", "w"))


def archive(name: str, content: bytes) -> bytes:
    """Return a zip archive with one file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        packed.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("masked.pkl", pickle.dumps(Trap()), "no reader for '.pkl' files"),
        ("masked.csv", pickle.dumps(Trap()), "holds a pickle"),
        ("masked.h5", b"\x89HDF\r\n\x1a\n" + bytes(100), "no reader for '.h5' files"),
        ("masked.csv", b"\x89HDF\r\n\x1a\n" + bytes(100), "holds an HDF5 file"),
        ("masked.xlsm", archive("xl/vbaProject.bin", b"x"), "no reader for '.xlsm' files"),
        ("masked.csv", archive("masked.csv", HEADER), "holds a zip archive"),
        ("masked.csv", gzip.compress(HEADER, mtime=0), "is '.gz' missing in its name?"),
        ("masked.csv.gz", HEADER, "is called .gz, but does not hold gzip data"),
        ("masked.xlsx", archive("masked.csv", HEADER), "masked.xlsx: "),
        ("masked.parquet", HEADER, "masked.parquet: "),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("masked.") else None,
)
def test_row_39_other_formats_are_refused_by_name_and_by_content(  # noqa: PLR0913, PLR0917 - what is varied
    put, run, tmp_path, monkeypatch, name, content, message
):
    monkeypatch.chdir(tmp_path)
    audit = put(content, name, candidates={"noisy": {"path": name, "kind": "masked"}})
    run(audit).refused(f"{name}: ", message)
    assert not (tmp_path / "trace-of-a-pickle").exists()


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
@pytest.mark.parametrize("name", ["masked.parquet", "masked.csv.gz"])
def test_row_40_a_file_that_was_not_copied_completely_is_refused(put, run, masked, name, part):
    stream = io.BytesIO()
    if name.endswith(".gz"):
        stream.write(gzip.compress(masked.to_csv(index=False).encode()))
    else:
        masked.to_parquet(stream)
    content = stream.getvalue()
    audit = put(content, name, candidates={"noisy": {"path": name, "kind": "masked"}})
    assert run(audit).code == 0
    (audit.parent / name).write_bytes(content[: int(part * len(content))])
    run(audit).refused(f"{name}: ")


def test_row_41_a_gzip_bomb_is_refused_by_the_limit(put, run, monkeypatch):
    small = file_checks.Limits(unsuspected=1 << 20)
    monkeypatch.setattr(file_checks.check_unpacked, "__defaults__", (small,))
    bomb = gzip.compress(HEADER + b"1,2,3\n" * (1 << 20))
    run(put(bomb, "masked.csv.gz", candidates={"noisy": {"path": "masked.csv.gz", "kind": "masked"}})).refused(
        "masked.csv.gz: unpacks to more than 200 times its size; it may be a bomb"
    )


def workbook(frame, change=None) -> bytes:
    """Return an Excel workbook, changed by hand."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(frame.columns))
    for record in frame.to_numpy().tolist():
        sheet.append(record)
    if change is not None:
        change(book)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda book: book.active.cell(3, 1, "=1+1"), "A3"),
        (lambda book: book.active.merge_cells("A2:B2"), "A2:B2"),
        (lambda book: book.create_sheet("More").append([CANARY]), "sheet"),
    ],
    ids=["a formula", "merged cells", "two sheets"],
)
def test_row_42_workbooks_that_are_no_plain_table_are_refused(put, run, masked, change, message):
    audit = put(
        workbook(masked, change), "masked.xlsx", candidates={"noisy": {"path": "masked.xlsx", "kind": "masked"}}
    )
    run(audit).refused("masked.xlsx: ", message)


def test_row_42_a_sheet_can_be_named(put, run, masked):
    content = workbook(masked, lambda book: book.create_sheet("More").append([CANARY]))
    candidate = {"path": "masked.xlsx", "kind": "masked", "format": "excel", "options": {"sheet": "Sheet"}}
    audited = run(put(content, "masked.xlsx", candidates={"noisy": candidate}))
    assert audited.code == 3  # the other one is released too, and nobody looked at it
    assert "sheet 'More'" in " ".join(audited.out.split())


@pytest.mark.parametrize("name", SIDES)
def test_row_43_a_file_that_changes_while_it_is_read_is_refused(write_audit, run, monkeypatch, name):
    from permaudit_plugins.readers.csv import CsvReader  # noqa: PLC0415

    pieces = CsvReader.pieces

    def interfered(self, path, columns, options):
        yield from pieces(self, path, columns, options)
        if path.name == name:
            path.write_bytes(path.read_bytes() + b"1,2,3\n")

    monkeypatch.setattr(CsvReader, "pieces", interfered)
    run(write_audit()).refused(f"{name}: changed while it was read")


def test_row_43_a_file_with_another_hash_than_declared_is_refused(write_audit, run):
    audit = write_audit(original={"path": "original.csv", "sha256": "0" * 64})
    run(audit).refused("original.csv: has sha256 ", "not the one that the audit file declares")
