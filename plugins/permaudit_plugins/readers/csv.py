"""Delimited text with one header line; read strictly, as text, nothing guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from permaudit import Parameters, ReaderCard, hookimpl
from permaudit_plugins.readers._text import Encoding, Tokens  # noqa: TC001 - pydantic evaluates them

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

permaudit_api = 1


def _mark(text: str) -> str:
    """Return the text if it is one character that may stand between or around cells."""
    if len(text) != 1 or not text.isascii() or text.isalnum() or text in "\r\n\0":
        raise ValueError("must be one ASCII character, and no letter or digit")
    return text


def _thousands_mark(text: str) -> str:
    """Return the text if it is one character that may stand between digits."""
    if len(text) != 1 or text.isalnum() or text in "+-\r\n\0":
        raise ValueError("must be one character, and no letter, digit or sign")
    return text


Mark = Annotated[str, AfterValidator(_mark)]


class CsvOptions(Parameters, defer_build=True):
    """How a delimited file is written."""

    delimiter: Mark | None = Field(default=None, description="between the cells; a comma, in .tsv files a tab")
    encoding: Encoding = Field(default="utf-8", description="the encoding of the text")
    quote: Mark | None = Field(default='"', description="around cells; null where no cell is quoted")
    decimal: Literal[".", ","] = Field(default=".", description="the decimal mark of numbers")
    thousands: Annotated[str, AfterValidator(_thousands_mark)] | None = Field(
        default=None, description="the mark between groups of three digits"
    )
    codes: tuple[str, ...] = Field(
        default=(), description="columns that the decimal and thousands marks do not concern: left as they stand"
    )
    missing: Tokens = ()

    @model_validator(mode="after")
    def _tell_marks_apart(self) -> Self:
        """Refuse marks that cannot be told apart."""
        if self.decimal == self.thousands:
            raise ValueError("decimal and thousands must differ")
        delimiters = {self.delimiter} if self.delimiter else {",", "\t"}
        if self.quote in {*delimiters, self.decimal, self.thousands} - {None}:
            raise ValueError("quote must differ from the other marks")
        return self


class CsvReader:
    """Read delimited text."""

    card: ClassVar[ReaderCard] = ReaderCard(
        id="csv", title="Delimited text (CSV, TSV)", suffixes=(".csv", ".tsv", ".csv.gz", ".tsv.gz")
    )

    parameters: ClassVar[type[CsvOptions]] = CsvOptions

    def columns(self, path: Path, options: CsvOptions) -> tuple[str, ...]:
        """Return the header, or say what is wrong with it."""
        from permaudit_plugins.readers._delimited import header  # noqa: PLC0415 - pyarrow's parser comes with it

        return header(path, options.encoding, _delimiter(path, options), options.quote)

    def read(self, path: Path, columns: tuple[str, ...], options: CsvOptions) -> pa.Table:
        """Return the columns as text."""
        from pyarrow import concat_tables  # noqa: PLC0415

        return concat_tables(self.pieces(path, columns, options))

    def pieces(self, path: Path, columns: tuple[str, ...], options: CsvOptions) -> Iterator[pa.Table]:
        """Give the columns as text, in parts."""
        from permaudit_plugins.readers._delimited import Delimited, pieces  # noqa: PLC0415
        from permaudit_plugins.readers._marks import rewritten  # noqa: PLC0415

        text = Delimited(
            path=path,
            encoding=options.encoding,
            delimiter=_delimiter(path, options),
            quote=options.quote,
            names=self.columns(path, options),
            missing=options.missing,
        )
        return rewritten(pieces(text, columns), options.decimal, options.thousands, options.codes)

    def unread(self, path: Path, options: CsvOptions) -> tuple[str, ...]:
        """Name what the lines tell beside their cells: how they end, whether some are empty, and which cells are quoted."""
        from permaudit_plugins.readers._manner import manner_of  # noqa: PLC0415

        names = self.columns(path, options)
        return manner_of(
            path, names, encoding=options.encoding, delimiter=_delimiter(path, options), quote=options.quote
        )


def _delimiter(path: Path, options: CsvOptions) -> str:
    """Return the declared delimiter, or else the one of the suffix."""
    if options.delimiter is not None:
        return options.delimiter
    return "\t" if path.name.lower().endswith((".tsv", ".tsv.gz")) else ","


@hookimpl
def permaudit_readers() -> list[CsvReader]:
    """Provide the reader of delimited text."""
    return [CsvReader()]
