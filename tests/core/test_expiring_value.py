"""A value that is loaded when it is needed and freed when it has not been for a while."""

import threading
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakSet

import pytest

from core.timing import CACHES, ExpiringValue
from tests.eventually import eventually


class Model:
    """Stands for something large; unlike `object` it can be referred to weakly."""


def test_many_threads_share_one_value() -> None:
    """The first calls come at the same time, and two copies of a model would take twice the memory."""
    value = ExpiringValue(Model)
    with ThreadPoolExecutor(8) as pool:
        got = set(pool.map(lambda _: value.get(), range(8)))

    assert len(got) == 1


def test_an_unused_value_is_freed_and_loaded_again() -> None:
    """Memory goes back, and nobody has to ask for that or to know of it."""
    loaded = WeakSet[Model]()

    def load() -> Model:
        model = Model()
        loaded.add(model)
        return model

    value = ExpiringValue(load, idle_seconds=0.05)
    held = value.get()
    eventually(lambda: value._value is None)

    assert list(loaded) == [held]
    assert value.get() is not held
    eventually(lambda: list(loaded) == [held])


class Pages:
    """A cache that counts how often it was emptied."""

    emptied = 0

    def empty(self) -> None:
        """Count."""
        self.emptied += 1


def test_caches_are_emptied_with_a_value_that_expired() -> None:
    """What is unused is no more worth its memory than the value."""
    pages = Pages()
    CACHES.add(pages)
    value = ExpiringValue(Model, idle_seconds=0.05)
    value.get()
    eventually(lambda: pages.emptied == 1)

    assert value._value is None


def test_a_value_in_use_is_kept() -> None:
    """Only time without a call counts."""
    value = ExpiringValue(Model, idle_seconds=1_000)
    first = value.get()
    value._expire()

    assert value.get() is first


def test_a_value_that_fails_to_load_is_tried_again() -> None:
    """A model that was missing may be installed meanwhile."""
    tries = iter([OSError("missing"), None])

    def load() -> Model:
        if (error := next(tries)) is not None:
            raise error
        return Model()

    value = ExpiringValue(load)
    with pytest.raises(OSError, match="missing"):
        value.get()

    assert isinstance(value.get(), Model)


class BrokenCache:
    """A cache that can't be emptied."""

    def empty(self) -> None:
        """Fail."""
        raise RuntimeError("no connection is left")


def test_a_cache_that_fails_keeps_no_other_from_being_emptied() -> None:
    """Nor does it end the timer: the value expires again after its next use."""
    broken, pages = BrokenCache(), Pages()
    CACHES.update({broken, pages})
    value = ExpiringValue(Model, idle_seconds=0.02)
    value.get()
    eventually(lambda: value._value is None and pages.emptied >= 1)
    value.get()
    eventually(lambda: value._value is None and pages.emptied >= 2)


def test_a_system_without_threads_only_keeps_the_value_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next use starts the timer that could not be started."""

    def refuse(_: threading.Timer) -> None:
        raise RuntimeError("can't start new thread")

    value = ExpiringValue(Model, idle_seconds=0.02)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Timer, "start", refuse)
        held = value.get()
    assert value.get() is held
    eventually(lambda: value._value is None)
