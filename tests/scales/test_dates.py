from __future__ import annotations

import datetime as dt
import statistics

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.data.scales import scale_of
from permaudit.plan import Attribute

from .columns import CANARY, codes, column, missing, mistake, original

DATE = Attribute(name="A", type="date")
TIME = Attribute(name="A", type="datetime")
EPOCH = dt.date(1970, 1, 1)
DAY = 86_400 * 10**9


def days(*texts):
    return [(dt.date.fromisoformat(text) - EPOCH).days for text in texts]


# --------------------------------------------------------------------------- dates


@given(st.lists(st.dates(), min_size=1, max_size=20))
def test_a_date_counts_the_days_since_1970_typed_and_as_text(dates):
    expected = [(date - EPOCH).days for date in dates]

    assert codes(original(*dates, type="date")) == expected
    assert codes(original(*map(str, dates), type="date")) == expected
    assert codes(original(*dates, type="date", kind=pa.date64())) == expected


def test_midnights_of_a_data_frame_are_dates_and_other_times_are_not():
    stamps = pa.chunked_array([pa.array(pd.to_datetime(["2001-05-03", None, "1969-12-31"]))])
    encoded = scale_of(DATE, stamps).original

    assert missing(encoded) == [2]
    assert codes(encoded)[::2] == days("2001-05-03", "1969-12-31")
    late = pa.chunked_array([pa.array(pd.to_datetime(["2001-05-03 00:00", "2001-05-03 10:00"]))])
    assert mistake(scale_of, DATE, late) == (
        "has 1 value with a time of day (first in record 2); declare it with type: datetime"
    )


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("31.12.2001", "write the year first"),
        ("12/31/2001", "write the year first"),
        ("2001/12/31", "write the year first"),
        ("2001-02-30", ""),
        ("2001-13-01", ""),
        ("20010101", ""),
        ("2001-W01-1", ""),
        ("2001-1-1", ""),
        ("0000-01-01", ""),
        (" 2001-01-01", "blanks around"),
        ("2001-01-01T10:00", "declare type: datetime"),
        ("2001", "may stand in a release only"),
        ("2001-05", "may stand in a release only"),
        ("*", "may stand in a release only"),
        (CANARY, ""),
    ],
)
def test_text_that_is_no_date_is_refused_with_its_record(text, hint):
    said = mistake(original, "2001-01-01", text, type="date")

    assert said.startswith("has 1 value that is not a date (first in record 2)")
    assert hint in said
    assert CANARY not in said


@pytest.mark.parametrize("values", [(1,), (1.5,), (True,), (dt.time(1),), (dt.datetime(2001, 1, 1, tzinfo=dt.UTC),)])
def test_other_types_are_no_dates(values):
    assert ", not a date" in mistake(original, *values, type="date")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2001", "2001-01-01", "2001-12-31"),
        ("2001-02", "2001-02-01", "2001-02-28"),
        ("2000-02", "2000-02-01", "2000-02-29"),
        ("2001-01/2001-06", "2001-01-01", "2001-06-30"),
        ("2001-01..2001-06", "2001-01-01", "2001-06-30"),
        ("2001-05-03/2001-05-09", "2001-05-03", "2001-05-09"),
        ("2001/2001-03-15", "2001-01-01", "2001-03-15"),
        ("1990-1999", "1990-01-01", "1999-12-31"),
        ("[2001-01-01, 2001-02-01)", "2001-01-01", "2001-01-31"),
        ("(2001-01, 2001-03)", "2001-02-01", "2001-02-28"),
        ("{2001-01-02,2001-01-03}", "2001-01-02", "2001-01-03"),
        ("9999", "9999-01-01", "9999-12-31"),
    ],
)
def test_a_released_period_covers_its_days(text, first, last):
    scale = scale_of(DATE, column(*days_of(first, last)))
    middle = statistics.median(days(first, last))

    assert codes(scale.encode(column(text))) == [middle]


def days_of(first, last):
    """Return the first and the last day, and many that must not count on either side."""
    start, end = dt.date.fromisoformat(first), dt.date.fromisoformat(last)
    before = [str(start - dt.timedelta(number)) for number in range(1, 5)]
    after = [str(end + dt.timedelta(number)) for number in range(1, 8)] if end < dt.date.max else []
    return [first, last, *before, *after]


def test_a_released_period_without_an_original_day_stands_at_its_middle():
    scale = scale_of(DATE, column("1999-01-01", "2003-01-01"))

    assert codes(scale.encode(column("2001", "2001-03"))) == [
        statistics.mean(days("2001-01-01", "2001-12-31")),
        statistics.mean(days("2001-03-01", "2001-03-31")),
    ]


@pytest.mark.parametrize("text", ["2001-06/2001-01", "2001-13", "0000", "99999", "2001-01/", "/2001", "2001-Q1", "a/b"])
def test_what_is_no_period_is_refused(text):
    assert "not a date" in mistake(scale_of(DATE, column("2001-01-01")).encode, column(text))


def test_a_star_among_dates_is_as_declared():
    plain = column("2001-01-01", "2001-01-03", "2001-01-09")

    assert "star: any" in mistake(scale_of(DATE, plain).encode, column("*"))
    assert codes(scale_of(Attribute(name="A", type="date", star="any"), plain).encode(column("*"))) == days(
        "2001-01-03"
    )
    assert missing(scale_of(Attribute(name="A", type="date", star="missing"), plain).encode(column("*"))) == [1]


# --------------------------------------------------------------------------- times

MOMENTS = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))  # noqa: DTZ001


def nanoseconds(moment):
    since = moment - dt.datetime(1970, 1, 1)  # noqa: DTZ001
    return (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000


@given(st.lists(MOMENTS, min_size=1, max_size=20))
def test_a_time_counts_the_nanoseconds_since_1970_typed_and_as_text(moments):
    expected = [nanoseconds(moment) for moment in moments]

    assert codes(original(*moments, type="datetime")) == expected
    assert codes(original(*(moment.isoformat() for moment in moments), type="datetime")) == expected
    assert codes(original(*(f"{moment:%Y-%m-%d %H:%M:%S.%f}" for moment in moments), type="datetime")) == expected
    assert codes(original(*(moment.isoformat() + "Z" for moment in moments), type="datetime")) == expected


def test_nanoseconds_are_kept():
    first, second = codes(original("2001-01-01T00:00:00.123456789", "2001-01-01T00:00:00.123456788", type="datetime"))

    assert first - second == 1


def test_times_in_a_zone_are_instants():
    utc = codes(original("2001-01-01T10:00Z", "2001-01-01T11:00:00Z", type="datetime"))

    assert codes(original("2001-01-01T11:00+01:00", "2001-01-01T12:00:00+0100", type="datetime")) == utc
    assert codes(original("2001-01-01T05:00-05", "2001-01-01T06:00:00-05", type="datetime")) == utc
    stamps = pa.array(
        pd.to_datetime(["2001-01-01 10:00", "2001-01-01 11:00"]).tz_localize("UTC").tz_convert("Asia/Tokyo")
    )
    assert codes(scale_of(TIME, pa.chunked_array([stamps])).original) == utc


def test_times_in_several_zones_are_refused():
    said = mistake(original, "2001-01-01T11:00+01:00", "2001-07-01T11:00+02:00", type="datetime")

    assert said == "has times in 2 time zones; write all of them in UTC, ending in Z"
    assert codes(original("2001-01-01T11:00Z", "2001-01-01T11:00+00:00", type="datetime"))


def test_times_with_and_without_a_zone_are_refused_in_one_file():
    said = mistake(original, "2001-01-01T11:00Z", "2001-01-01T11:00", type="datetime")

    assert said.startswith("has 1 value without a time zone among others with one (first in record 2)")


@pytest.mark.parametrize(
    ("first", "second"), [("2001-01-01T11:00Z", "2001-01-01T11:00"), ("2001-01-01T11:00", "2001-01-01T11:00+01:00")]
)
def test_times_with_and_without_a_zone_are_refused_in_two_files(first, second):
    assert "time zone, and the original has" in mistake(scale_of(TIME, column(first)).encode, column(second))


def test_zones_with_different_names_are_compared_as_instants_and_it_is_said():
    encoded = scale_of(TIME, column("2001-01-01T11:00Z")).encode(column("2001-01-01T11:00+01:00"))

    assert encoded.statements == (
        "the time zones of this file and the original have different names: times are compared as instants",
    )


@pytest.mark.parametrize(
    "text",
    [
        "2001-02-30T10:00",
        "2001-01-01T24:00",
        "2001-01-01T10:60",
        "2001-01-01T10:00+25:00",
        "2001-01-01T10",
        "10:00",
        CANARY,
    ],
)
def test_text_that_is_no_time_is_refused_with_its_record(text):
    said = mistake(original, "2001-01-01T10:00", text, type="datetime")

    assert said.startswith("has 1 value that is not a time (first in record 2)")


@pytest.mark.parametrize("values", [(1,), (1.5,), (dt.time(1),), (dt.timedelta(1),)])
def test_other_types_are_no_times(values):
    assert ", not a time" in mistake(original, *values, type="datetime")


def test_years_that_nanoseconds_cannot_reach_are_counted_in_microseconds():
    scale = scale_of(TIME, column("2001-01-01T00:00", "9999-12-31T23:59:59"))
    typed = original(dt.datetime(9999, 12, 31, 23, 59, 59), type="datetime")  # noqa: DTZ001

    assert codes(scale.original) == [days("2001-01-01")[0] * DAY // 1000, codes(typed)[0]]
    assert "finer than a microsecond" in mistake(scale.encode, column("2001-01-01T00:00:00.0000001"))
    near = scale_of(TIME, column("2001-01-01T00:00"))
    assert "outside the years 1678 to 2261" in mistake(near.encode, column("9999-12-31T23:59:59"))


def test_days_are_midnights_in_an_original_and_periods_in_a_release_beside_times():
    dated = scale_of(TIME, column("2001-01-01", "2001-01-02"))
    assert codes(dated.encode(column("2001-01-02", "2001-01-03"))) == [
        day * DAY for day in days("2001-01-02", "2001-01-03")
    ]
    timed = scale_of(TIME, column("2001-01-01T08:00", "2001-01-01T10:00", "2001-01-02T00:00"))
    for released in (column("2001-01-01"), column(dt.date(2001, 1, 1))):
        assert codes(timed.encode(released)) == codes(original("2001-01-01T09:00", type="datetime"))


@pytest.mark.parametrize(
    "text",
    ["2001", "2001-01", "2001-01-01/2001-01-02", "2001-01-01T08:00/2001-01-01T10:00", "<2001-01-02", "<=2001-01-01"],
)
def test_released_periods_of_times_are_read(text):
    scale = scale_of(TIME, column("2001-01-01T08:00:00.000000001", "2001-01-01T09:59:59.999999999", "2003-01-01T00:00"))

    assert codes(scale.encode(column(text))) == codes(original("2001-01-01T09:00", type="datetime"))


def test_released_periods_beside_times_in_a_zone_are_those_of_utc():
    encoded = scale_of(TIME, column("2001-01-01T00:30+01:00", "2001-01-01T12:00+01:00")).encode(column("2001-01-01"))

    assert codes(encoded) == codes(original("2001-01-01T11:00Z", type="datetime"))
    assert "released days, months and years are those of UTC" in encoded.statements


@pytest.mark.parametrize(
    "text", [">2001-01-01T12:00+02:00", ">2001-01-01T05:00-0500", ">2001-01-01T10:00Z", ">2001-01-01T10:00"]
)
def test_the_zone_of_an_end_of_an_interval_counts(text):
    scale = scale_of(TIME, column("2001-01-01T10:00Z", "2001-01-01T10:00:01Z"))

    assert codes(scale.encode(column(text))) == [codes(scale.original)[1]]


def test_a_day_that_is_named_twice_counts_once():
    scale = scale_of(DATE, column("2001-01-01", "2001-01-01", "2001-05-01", "2001-05-01", "2001-05-01"))

    assert codes(scale.encode(column("{2001-01,2001-01-01,2001-01,2001-05}"))) == days("2001-05-01")


def test_missing_times_are_marked():
    assert missing(original("2001-01-01T00:00", "", None, type="datetime")) == [2, 3]
    assert missing(scale_of(TIME, column("2001-01-01T00:00")).encode(column(None, None))) == [1, 2]
    assert original("2001-01-01T00:00", type="datetime").codes.dtype == np.int64


def test_times_that_are_all_different_are_read_from_many_chunks_as_from_one():
    texts = pa.array([f"2001-01-{1 + i % 28:02}T{i % 24:02}:{i % 60:02}:00.{i:06}" for i in range(2_000)])
    chunks = pa.chunked_array([texts.slice(start, 7) for start in range(0, 2_000, 7)])
    expected = texts.cast(pa.timestamp("ns")).cast(pa.int64()).to_numpy()
    assert np.array_equal(scale_of(TIME, chunks).original.codes, expected)
