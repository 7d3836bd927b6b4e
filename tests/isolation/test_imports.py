"""A plugin is imported in a process of its own first: what ends or hangs that one never gets into the host."""

from __future__ import annotations

import os
import sys

import pytest

from permaudit import PluginError
from permaudit.isolation import nursery
from permaudit.isolation.limits import Limits

from .conftest import surroundings


def refusal(foreign, top, limits=None):
    with pytest.raises(PluginError) as caught:
        foreign(top=top, limits=limits)
    return str(caught.value)


@pytest.mark.parametrize("top", ["os._exit(0)", "ctypes.string_at(0)", "os.kill(os.getpid(), 9)", "os.abort()"])
def test_an_import_that_ends_its_process_is_refused_and_never_tried_here(foreign, top):
    assert refusal(foreign, top) == "the plugins of acme 1.0 ended the process that imported them"
    assert "acme" not in sys.modules


def test_an_import_that_hangs_is_refused(foreign, monkeypatch):
    monkeypatch.setattr(nursery, "_LEAST_TO_IMPORT", 0.0)
    assert refusal(foreign, "time.sleep(600)", Limits(seconds=5.0)).startswith(
        "the plugins of acme 1.0 took longer than"
    )
    assert "acme" not in sys.modules


def test_a_contract_that_is_broken_is_told_as_it_would_be_here(foreign):
    text = refusal(foreign, "1 / 0")
    assert text == "plugin 'acme' of acme 1.0 cannot be imported: ZeroDivisionError: division by zero"


def test_an_import_changes_nothing_in_the_host(foreign, capfd):
    changes = (
        "os.chdir('/'); os.environ['CARELESS'] = 'yes'; del os.environ['PATH']; np.seterr(all='raise')\n"
        "warnings.simplefilter('ignore'); warnings.showwarning = None; os.umask(0o777)\n"
        "random.seed(3); np.random.seed(3); sys.setrecursionlimit(200); signal.setitimer(signal.ITIMER_REAL, 60)\n"
        "import locale, resource; locale.setlocale(locale.LC_ALL, 'C')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))\n"
        "for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM): signal.signal(number, signal.SIG_IGN)\n"
        "print('CANARY'); print('CANARY', file=sys.stderr); os.write(1, b'CANARY'); os.system('echo CANARY >&2')\n"
        "os.close(1); os.close(2); sys.stdout.close()"
    )
    before = surroundings()
    foreign(top=changes)
    os.write(1, b"still here\n")
    assert surroundings() == before
    assert capfd.readouterr() == ("still here\n", "")


def test_what_an_import_prints_goes_to_the_log(foreign, caplog):
    foreign(top="print('CANARY', file=sys.stderr)\nprint('x' * 1_000_000)")
    assert "CANARY" in caplog.text
