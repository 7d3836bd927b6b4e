"""Work in threads: the results are those of one thread, in the same order."""

from __future__ import annotations

import threading

import pytest

from permaudit.permutation.threads import one_behind, some_ahead


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_are_taken_in_the_order_of_the_batches_whatever_the_number_of_threads(threads):
    taken = []
    batches = ([10 * batch + item for item in range(batch)] for batch in range(6))
    one_behind(lambda item: item * item, batches, lambda item, result: taken.append((item, result)), threads)
    expected = [10 * batch + item for batch in range(6) for item in range(batch)]
    assert taken == [(item, item * item) for item in expected]


def test_the_next_batch_is_made_while_threads_work_on_one():
    """The work of the first batch ends only when the second one has been made."""
    made = threading.Event()

    def batches():
        yield [1]
        made.set()
        yield [2]

    taken = []
    one_behind(lambda item: made.wait(60) and item, batches(), lambda _, result: taken.append(result), 2)
    assert taken == [1, 2]


@pytest.mark.parametrize("threads", [1, 3])
def test_two_batches_are_held_at_most(threads):
    made, taken, most = [], [], []

    def batches():
        for batch in range(5):
            most.append(len(made) - len(taken))
            made.append(batch)
            yield [batch]

    one_behind(lambda item: item, batches(), lambda item, _: taken.append(item), threads)
    assert max(most) <= 1
    assert taken == made


@pytest.mark.parametrize("threads", [1, 3])
def test_whatever_goes_wrong_is_raised_and_nothing_after_it_is_taken(threads):
    taken = []

    def refuse_three(item):
        if item == 3:
            raise ValueError("three")
        return item

    with pytest.raises(ValueError, match="three"):
        one_behind(refuse_three, [[1, 2], [3, 4], [5]], lambda item, _: taken.append(item), threads)
    assert taken == [1, 2]

    def spoilt():
        yield [1]
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        one_behind(refuse_three, spoilt(), lambda item, _: taken.append(item), threads)


@pytest.mark.parametrize("many", [0, 1, 2, 30])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items_whatever_the_number_of_threads(threads, many):
    assert list(some_ahead(lambda item: item * item, iter(range(many)), threads)) == [n * n for n in range(many)]


@pytest.mark.parametrize("threads", [1, 3])
def test_few_items_are_taken_before_their_results_are_wanted(threads):
    taken = []
    results = some_ahead(lambda item: item, (taken.append(item) or item for item in range(100)), threads)
    for expected in range(50):
        assert next(results) == expected
        assert len(taken) <= expected + 1 + threads
    results.close()
    assert len(taken) < 60


def test_one_item_needs_no_thread():
    assert list(some_ahead(lambda _: threading.current_thread(), [1], 4)) == [threading.current_thread()]


@pytest.mark.parametrize("threads", [1, 3])
def test_what_goes_wrong_comes_in_the_place_of_the_result(threads):
    given = []

    def refuse_three(item):
        if item == 3:
            raise ValueError("three")
        return item

    with pytest.raises(ValueError, match="three"):
        given.extend(some_ahead(refuse_three, [1, 2, 3, 4, 5], threads))
    assert given == [1, 2]
