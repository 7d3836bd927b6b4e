"""Run independent pieces of array work in threads; numpy lets go of the interpreter inside its loops."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")

_WORTH_A_THREAD = 30_000
"""Below this many records starting a thread costs more than it saves."""

_LARGE = 31 * 2**20


def workers(threads: int | None, records: int) -> int:
    """Return how many threads to use: as asked, or as many as there are processors for files that are worth it.

    The environment variable PERMAUDIT_THREADS limits the latter; what is no positive whole number there limits nothing.
    """
    if threads is not None:
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        return threads
    if records < _WORTH_A_THREAD:
        return 1
    return available()


def available() -> int:
    """Return how many threads the processors and the environment allow."""
    return min(_processors(), _limit() or _processors())


def _processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # a container may own fewer processors than the machine has
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _limit() -> int | None:
    """Return the most threads that the environment allows, if it says so."""
    said = os.environ.get("PERMAUDIT_THREADS", "")
    return int(said[:9]) or None if said.isascii() and said.isdigit() else None


def run_each(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> list[Result]:
    """Apply the function to each item and return the results in the order of the items."""
    todo = list(items)
    if threads == 1 or len(todo) < 2:  # noqa: PLR2004 - one piece of work needs no second thread
        return [work(item) for item in todo]
    with ThreadPoolExecutor(min(threads, len(todo))) as pool:
        return list(pool.map(work, todo))


def some_ahead(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Give the results in the order of the items, while threads work on the next few; one item needs no thread.

    What goes wrong is raised in the place of the result, and nothing comes after it.
    """
    coming = iter(items)
    first = list(islice(coming, 1 if threads == 1 else 2))
    if len(first) < 2:  # noqa: PLR2004 - as above
        yield from map(work, chain(first, coming))
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in chain(first, coming):
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def one_behind(
    work: Callable[[Item], Result],
    batches: Iterable[Sequence[Item]],
    take: Callable[[Item, Result], None],
    threads: int,
) -> None:
    """Apply the function to each item of each batch while the next batch is being made; take the results in order.

    All results of a batch are taken before the work on the next one begins, and two batches are held at most.
    """
    if threads == 1:
        for batch in batches:
            for item in batch:
                take(item, work(item))
        return
    waiting: list[tuple[Item, Future[Result]]] = []
    with ThreadPoolExecutor(threads) as pool:
        for batch in batches:
            _take_each(waiting, take)
            waiting = [(item, pool.submit(work, item)) for item in batch]
        _take_each(waiting, take)


def _take_each(waiting: list[tuple[Item, Future[Result]]], take: Callable[[Item, Result], None]) -> None:
    """Take results as they come, and hold none of them longer."""
    while waiting:
        item, result = waiting.pop(0)
        take(item, result.result())


def keep_freed_memory() -> None:
    """Let the C library keep the temporary arrays' memory instead of returning it to the system each time.

    glibc starts by asking the system for every block above 128 KiB and returns it when it is freed; new pages then cost as
    much time as the work on them. Freeing one block raises that limit to its size, up to 32 MiB, and what is kept at most
    to twice its size (mallopt(3), "dynamic mmap threshold"). The block is never touched, so it costs nothing; other C
    libraries do not care.
    """
    np.empty(_LARGE, np.uint8)
