"""Top and bottom coding: what lies beyond a threshold becomes the threshold, or the mean of what lies beyond."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
from pydantic import Discriminator, Field, Tag, model_validator

from permaudit import AnonymizerCard, Made, Parameters, hookimpl, shown
from permaudit_plugins.anonymizers._listed import check_listed, refused
from permaudit_plugins.anonymizers._read_numbers import WHOLE_FLOATS, mean_of, number_column, read_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Original
    from permaudit_plugins.anonymizers._read_numbers import Numbers

permaudit_api = 1


def _form(value: Any) -> str:
    """Tell a share of the records from thresholds by attribute."""
    return "<values>" if isinstance(value, dict) else "<share>"


Beyond = Annotated[
    Annotated[float, Field(gt=0, lt=1), Tag("<share>")]
    | Annotated[dict[str, float], Field(min_length=1), Tag("<values>")],
    Discriminator(_form),
]
"""A share of the records in every numeric attribute, or the threshold of each attribute that is coded."""


class TopBottomCodingParameters(Parameters, defer_build=True):
    """Parameters of top and bottom coding: at least one of `top` and `bottom`."""

    top: Beyond | None = Field(
        default=None, description="the share of the records with the largest values, or the threshold of each attribute"
    )
    bottom: Beyond | None = Field(
        default=None,
        description="the share of the records with the smallest values, or the threshold of each attribute",
    )
    to: Literal["threshold", "mean"] = Field(
        default="threshold", description="what the values beyond become: the threshold, or their own mean"
    )

    @model_validator(mode="after")
    def _leaves_something(self) -> Self:
        top, bottom = self.top, self.bottom
        if top is None and bottom is None:
            raise ValueError("say top, bottom or both: what is coded")
        if isinstance(top, float) and isinstance(bottom, float) and top + bottom >= 1:
            raise ValueError("top and bottom are the whole file: their shares must stay below 1 together")
        if isinstance(top, dict) and isinstance(bottom, dict):
            for name in top.keys() & bottom.keys():
                if bottom[name] >= top[name]:
                    raise ValueError(f"the bottom of '{shown(name)}' is not below its top: no value would be left")
        return self


class TopBottomCoding:
    """Cut the tails of numeric attributes off."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="top-bottom-coding",
        title="Top and bottom coding",
        kind="masked",
        linked=True,
        reference="Hundepool et al. (2012), Statistical Disclosure Control, section on non-perturbative masking",
        summary="Values above the top threshold become that threshold, or the mean of all values above it; values below the "
        "bottom threshold likewise. All other values stay as they are, and so do attributes that are not numeric.",
    )
    parameters: ClassVar[type[TopBottomCodingParameters]] = TopBottomCodingParameters

    def anonymize(self, original: Original, params: TopBottomCodingParameters, rng: Generator) -> Made:  # noqa: ARG002
        """Return the coded table; nothing is drawn."""
        sides = {"top": params.top, "bottom": params.bottom}
        check_listed(
            {side: beyond for side, beyond in sides.items() if isinstance(beyond, dict)},
            original.attributes,
            ("numeric",),
        )
        coded: dict[str, pa.Array] = {}
        mistakes: list[str] = []
        idle: list[str] = []
        for name, numbers in _chosen(original, params).items():
            try:
                tails = _tails(numbers, {side: _of(beyond, name) for side, beyond in sides.items()})
                coded[name] = number_column(_coded(numbers, tails, params.to), numbers.missing)
            except _UnfitError as error:
                mistakes.append(f"column '{shown(name)}' {error}")
                continue
            if not any(tail.beyond.any() for tail in tails):
                idle.append(shown(name))
        if mistakes:
            raise refused(*mistakes)
        columns = {name: coded.get(name, original.table[name]) for name in original.table.column_names}
        note = f"no value lies beyond the thresholds of {', '.join(idle)}: nothing was coded there"
        return Made(pa.table(columns), notes=(note,) if idle else ())


class _UnfitError(Exception):
    """A column cannot be coded as asked; the text says why."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tail:
    """The records of a column that lie beyond a threshold."""

    side: str
    threshold: float
    beyond: NDArray[np.bool_]


def _chosen(original: Original, params: TopBottomCodingParameters) -> dict[str, Numbers]:
    """Return the columns to code: all numeric ones where a share was given, else those that were listed."""
    numeric = [name for name, attribute in original.attributes.items() if attribute.type == "numeric"]
    if not numeric:
        raise refused("top and bottom coding is for numeric attributes, and there is none")
    if not isinstance(params.top, float) and not isinstance(params.bottom, float):
        numeric = [name for name in numeric if name in {*(params.top or {}), *(params.bottom or {})}]
    return {name: read_numbers(name, original.table[name]) for name in numeric}


def _of(beyond: float | Mapping[str, float] | None, name: str) -> tuple[float | None, float | None]:
    """Return the share and the threshold of one attribute; one of them, or none, is there."""
    if beyond is None or isinstance(beyond, float):
        return beyond, None
    return None, beyond.get(name)


def _tails(numbers: Numbers, sides: Mapping[str, tuple[float | None, float | None]]) -> list[_Tail]:
    """Find what lies beyond the thresholds."""
    tails = []
    ordered = np.sort(numbers.present)
    for side, (share, given) in sides.items():
        if share is not None:
            threshold = _threshold(ordered, side, share)
        elif given is not None:
            # As a whole number it is compared with whole numbers exactly.
            threshold = int(given) if given.is_integer() else given
        else:
            continue
        beyond = numbers.values > threshold if side == "top" else numbers.values < threshold
        tails.append(_Tail(side, threshold, beyond & ~numbers.missing))
    if len(tails) == len(sides) and tails[0].threshold <= tails[1].threshold:
        raise _UnfitError("would become constant: its bottom threshold is not below its top threshold")
    return tails


def _threshold(ordered: NDArray[Any], side: str, share: float) -> Any:
    """Return the value that leaves at most a share of the sorted values beyond it."""
    count = int(share * ordered.size)
    if count < 1:
        raise _UnfitError(f"has {ordered.size} values, and {side}: {share:g} of these is less than one")
    return ordered[-count - 1] if side == "top" else ordered[count]


def _coded(numbers: Numbers, tails: list[_Tail], to: str) -> NDArray[Any]:
    """Replace what lies beyond; whole numbers stay whole where the replacements are."""
    values = numbers.values
    for tail in tails:
        count = int(np.count_nonzero(tail.beyond))
        if not count:
            continue
        if to == "mean" and count == 1:
            text = f"has a single value beyond its {tail.side} threshold, which would be its own mean"
            raise _UnfitError(f"{text}; move the threshold, or code to: threshold")
        stand_in = tail.threshold if to == "threshold" else mean_of(numbers.values[tail.beyond])
        values = _replaced(values, tail.beyond, stand_in)
    return values


def _replaced(values: NDArray[Any], beyond: NDArray[np.bool_], stand_in: Any) -> NDArray[Any]:
    """Put one value in the place of several."""
    if values.dtype.kind != "f":
        limits = np.iinfo(values.dtype)
        is_large = bool((np.abs(values.astype(np.float64)) > WHOLE_FLOATS).any())
        whole = round(stand_in)  # floats would not keep large numbers apart
        if (whole == stand_in or is_large) and limits.min <= whole <= limits.max:
            return np.where(beyond, values.dtype.type(whole), values)
    return np.where(beyond, float(stand_in), values.astype(np.float64))


@hookimpl
def permaudit_anonymizers() -> list[TopBottomCoding]:
    """Provide top and bottom coding."""
    return [TopBottomCoding()]
