"""Dates and times as objects of the standard library, or of pandas where they have nanoseconds, as in pyarrow."""

from __future__ import annotations

import datetime
import functools
import re
import zoneinfo
from collections.abc import Callable

_EPOCH = datetime.datetime(1970, 1, 1)
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


@functools.lru_cache
def converter(kind: str, unit: str, zone: str | None) -> Callable[[int], object]:
    """Returns the function that converts numbers of this unit."""
    if kind == "date":
        return _date_of_days if unit == "day" else _date_of_milliseconds
    if unit == "ns":
        return functools.partial(_from_nanoseconds, kind, zone)
    per_second = _PER_SECOND[unit]
    return lambda count: _of(kind, count * (1_000_000 // per_second), zone)


def _date_of_days(days: int) -> datetime.date:
    return _EPOCH.date() + datetime.timedelta(days=days)


def _date_of_milliseconds(count: int) -> datetime.date:
    return (_EPOCH + datetime.timedelta(milliseconds=count)).date()


def _of(kind: str, microseconds: int, zone: str | None) -> object:
    since = datetime.timedelta(microseconds=microseconds)
    if kind == "duration":
        return since
    if kind == "time":
        return (_EPOCH + since).time()
    if zone is None:
        return _EPOCH + since
    return (_EPOCH + since).replace(tzinfo=datetime.timezone.utc).astimezone(time_zone(zone))


def _from_nanoseconds(kind: str, zone: str | None, count: int) -> object:
    if kind != "time":
        try:
            import pandas
        except ImportError:
            pass
        else:
            if kind == "duration":
                return pandas.Timedelta(count, unit="ns")
            return pandas.Timestamp(count, unit="ns", tz=None if zone is None else time_zone(zone))
    if count % 1000:
        hint = "" if kind == "time" else "; install pandas, whose values have them"
        raise ValueError(f"{count} ns: {kind} values of Python have no nanoseconds{hint}, or convert the table with to_pyarrow()")
    return _of(kind, count // 1000, zone)


@functools.lru_cache
def time_zone(name: str) -> datetime.tzinfo:
    """Returns a time zone by its name, or by its distance from UTC such as `+02:00`."""
    offset = re.fullmatch(r"([+-])(\d\d):?(\d\d)", name)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3])
        return datetime.timezone(datetime.timedelta(minutes=minutes if offset[1] == "+" else -minutes))
    return datetime.timezone.utc if name == "UTC" else zoneinfo.ZoneInfo(name)
