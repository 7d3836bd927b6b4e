"""Files of SPSS, Stata and SAS, through pyreadstat."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field

from permaudit import DataError, Mistake, Parameters, ReaderCard, hookimpl, shown
from permaudit_plugins.readers._extra import needed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

_RATIO = 200
_UNSUSPECTED = 1 << 28
_READ_BY = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}


class StatisticsOptions(Parameters):
    """How to take coded values."""

    labels: bool = Field(default=False, description="take the labels of coded values instead of the codes")


@dataclass(frozen=True, slots=True)
class StatisticsReader:
    """Read the files of a statistics package."""

    card: ReaderCard
    default: str
    """The suffix that stands for files with none of the card's."""
    parameters: type[StatisticsOptions] = StatisticsOptions

    def columns(self, path: Path, options: StatisticsOptions) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the variables."""
        from permaudit_plugins.readers._damage import checked_names  # noqa: PLC0415

        _, about = self._read(path, metadataonly=True)
        return checked_names(about.column_names)

    def read(self, path: Path, columns: tuple[str, ...], options: StatisticsOptions) -> pa.Table:
        """Return the variables with their types, and with nulls for every kind of missing value."""
        import pyarrow as pa  # noqa: PLC0415

        _, about = self._read(path, metadataonly=True)
        _refuse_bomb(path, about)
        frame, about = self._read(path, usecols=list(columns))
        arrays, mistakes = {}, []
        for name in columns:
            try:
                labels = about.variable_value_labels.get(name, {}) if options.labels else {}
                arrays[name] = pa.array(_labelled(frame[name], labels) if labels else frame[name], from_pandas=True)
            except (pa.ArrowException, TypeError, ValueError) as error:
                what = str(error) if isinstance(error, _UnlabelledError) else "holds values that fit no type of Arrow"
                mistakes.append(Mistake("", None, None, f"column '{shown(name)}' {what}"))
        if mistakes:
            raise DataError(mistakes)
        return pa.table(arrays)

    def _read(self, path: Path, **how: Any) -> tuple[pd.DataFrame, Any]:
        """Call the function of pyreadstat for this kind of file."""
        suffix = next((end for end in self.card.suffixes if path.name.lower().endswith(end)), self.default)
        pyreadstat = needed("pyreadstat", "stat", f"{suffix} files")
        with _told_in_our_words(self.card.title, pyreadstat):
            frame, about = getattr(pyreadstat, _READ_BY[suffix])(path, **how)
            return frame, about


class _UnlabelledError(ValueError):
    """Codes without a label."""


@contextmanager
def _told_in_our_words(title: str, pyreadstat: Any) -> Iterator[None]:
    """Withhold what pyreadstat says of the file."""
    from permaudit_plugins.readers._damage import damage_is  # noqa: PLC0415

    errors = (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, TypeError)
    with damage_is(f"is not a file of {title}, or it is damaged", *errors), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _refuse_bomb(path: Path, about: Any) -> None:
    """Refuse a file whose records would take far more room than the file itself does."""
    unpacked = (about.number_rows or 0) * sum(about.variable_storage_width.values())
    if unpacked > _UNSUSPECTED and unpacked > _RATIO * path.stat().st_size:
        raise DataError.one("", f"unpacks to more than {_RATIO} times its size; it may be a bomb")


def _labelled(codes: pd.Series[Any], labels: dict[Any, str]) -> pd.Series[Any]:
    """Return the labels of the codes; a code without a label would be a number among words."""
    words = codes.map(labels)
    bare = (words.isna() & codes.notna()).to_numpy()
    if bare.any():
        raise _UnlabelledError(
            f"has {int(bare.sum())} values without a label (first in record {int(bare.argmax()) + 1}); read codes with "
            "labels: false"
        )
    return words.astype(object)


@hookimpl
def permaudit_readers() -> list[StatisticsReader]:
    """Provide the readers of statistics packages."""
    spss = ReaderCard(id="spss", title="SPSS", suffixes=(".sav", ".zsav", ".por"), magic=(b"$FL2", b"$FL3"))
    stata = ReaderCard(id="stata", title="Stata", suffixes=(".dta",), magic=(b"<stata_dta>",))
    sas = ReaderCard(id="sas", title="SAS", suffixes=(".sas7bdat", ".xpt"))
    return [StatisticsReader(spss, ".sav"), StatisticsReader(stata, ".dta"), StatisticsReader(sas, ".sas7bdat")]
