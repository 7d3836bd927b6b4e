"""Foreign plugins: which are imported, and what is said of those that cannot be used."""

from __future__ import annotations

import sys

import pytest
from packaging.requirements import Requirement

from permaudit import PluginError, hookspecs
from permaudit.allowed import Allowed
from permaudit.installed import distribution_hash
from permaudit.plugins import load_plugins
from permaudit.report import from_json

METRIC = """
from permaudit import Measured, MetricCard, hookimpl

permaudit_api = 1

class Fake:
    def __init__(self, id="half", bounds=(0, 1)):
        self.card = MetricCard(
            id=id, title="Always a half", measures="confidentiality", better="higher", bounds=bounds,
            reference="none", summary="none", low="low", high="high", blind_spots="everything",
        )

    def compute(self, pair, rng):
        return Measured(0.5)
"""

HOOK = """
@hookimpl
def permaudit_metrics():
    return [Fake()]
"""


def allow(*texts):
    return [Allowed.reading(text) for text in texts]


# --------------------------------------------------------------------------- imported or not


def test_a_plugin_that_is_not_listed_is_never_imported_but_named(distribution, child, tmp_path):
    canary = tmp_path / "imported"
    folder = distribution("acme-metrics", {"acme": f"open({str(canary)!r}, 'w').close()\n{METRIC}{HOOK}"})
    ran = child("plugins", env={"PYTHONPATH": str(folder), "COLUMNS": "200"})
    assert ran.returncode == 0
    assert "not loaded: plugin 'acme' of acme-metrics 1.0" in ran.stdout
    assert "half" not in ran.stdout
    assert not canary.exists()


def test_an_audit_that_does_not_list_a_plugin_does_not_import_it(distribution, child, tmp_path, write_audit):
    canary = tmp_path / "imported"
    folder = distribution("acme-metrics", {"acme": f"open({str(canary)!r}, 'w').close()\n{METRIC}{HOOK}"})
    ran = child("run", write_audit(), "--quiet", env={"PYTHONPATH": str(folder)})
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert not canary.exists()


def test_what_was_refused_is_listed_with_its_distribution(install):
    install("acme-metrics", {"acme": METRIC + HOOK})
    host = load_plugins()
    assert [str(plugin) for plugin in host.refused] == ["plugin 'acme' of acme-metrics 1.0"]
    assert "acme" not in sys.modules
    assert "half" not in host.catalogue.metrics


@pytest.mark.parametrize("text", ["acme-metrics", "acme-metrics>=1", "Acme_Metrics==1.0", "ACME.METRICS<2"])
def test_a_listed_plugin_is_loaded_however_its_name_is_spelt(install, text):
    install("acme-metrics", {"acme": METRIC + HOOK})
    host = load_plugins(allow(text))
    assert host.catalogue.metrics["half"].card.title == "Always a half"
    assert host.refused == ()
    assert [plugin.origin for plugin in host.plugins][-1] == "acme-metrics 1.0"


def test_one_listed_distribution_lets_no_other_in(install):
    install("acme-metrics", {"acme": METRIC + HOOK})
    install("acme-metrics-extra", {"extra": "raise SystemExit('imported')"})
    host = load_plugins(allow("acme-metrics"))
    assert [plugin.distribution for plugin in host.refused] == ["acme-metrics-extra"]


def test_listing_permaudit_itself_changes_nothing():
    assert list(load_plugins(allow("permaudit")).catalogue.metrics) == list(load_plugins().catalogue.metrics)


# --------------------------------------------------------------------------- what cannot be used


def refusal(requirement="acme-metrics"):
    with pytest.raises(PluginError) as caught:
        load_plugins(allow(requirement))
    return str(caught.value)


def test_a_listed_plugin_that_is_not_installed_is_an_error():
    assert refusal("acme-metrics>=2") == "plugins.allow asks for 'acme-metrics>=2', but no such plugin is installed"


@pytest.mark.parametrize("version", ["1.0", "2.5", "3.0"])
def test_another_version_than_the_listed_one_is_an_error_before_anything_is_imported(install, version):
    install("acme-metrics", {"acme": METRIC + HOOK}, version=version)
    asked = str(Requirement("acme-metrics>=2,!=2.5,<3.0a0"))
    assert refusal(asked) == f"plugins.allow asks for '{asked}', but acme-metrics {version} is installed"
    assert "acme" not in sys.modules


def test_a_version_that_is_none_fits_no_specifier(install):
    install("acme-metrics", {"acme": METRIC + HOOK}, version="latest")
    assert (
        refusal("acme-metrics>=1") == "plugins.allow asks for 'acme-metrics>=1', but acme-metrics latest is installed"
    )


def test_of_two_requirements_for_one_distribution_both_must_hold(install):
    install("acme-metrics", {"acme": METRIC + HOOK})
    with pytest.raises(PluginError, match="acme-metrics>=2"):
        load_plugins(allow("acme-metrics>=2", "acme-metrics"))


WHO = "plugin 'acme' of acme-metrics 1.0"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import no_such_module", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 / 0", "cannot be imported: ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)", "cannot be imported: SystemExit: 0"),
        ("def broken(:", "cannot be imported: SyntaxError: "),
        ("class Bye(BaseException): pass\nraise Bye('bye')", "cannot be imported: Bye: bye"),
        ("permaudit_api = 1", ": module acme provides no hook of permaudit"),
        (
            METRIC + HOOK.replace("permaudit_metrics", "permaudit_metrix"),
            ": 'permaudit_metrix' is not a hook of permaudit; the hooks are permaudit_anonymizers, permaudit_engines, ",
        ),
        (METRIC + HOOK.replace("permaudit_metrics", "metrics"), ": 'metrics' is not a hook of permaudit"),
        (METRIC + HOOK.replace("@hookimpl", ""), ": 'permaudit_metrics' is not marked with @permaudit.hookimpl"),
        (METRIC + HOOK.replace("metrics()", "metrics(host)"), ": Plugin 'acme' for hook 'permaudit_metrics'"),
        (
            METRIC + HOOK.replace("[Fake()]", "[1 / 0]"),
            ": permaudit_metrics raised ZeroDivisionError: division by zero",
        ),
        (METRIC + HOOK.replace("[Fake()]", "exit(0)"), ": permaudit_metrics raised SystemExit"),
        (METRIC + HOOK.replace("[Fake()]", "None"), ": permaudit_metrics raised TypeError"),
        (METRIC + HOOK.replace("[Fake()]", "[Fake]"), ": permaudit_metrics returned type without a MetricCard"),
        (METRIC + HOOK.replace("[Fake()]", "[object()]"), ": permaudit_metrics returned object without a MetricCard"),
        (
            METRIC + HOOK.replace("permaudit_metrics", "permaudit_rules"),
            ": permaudit_rules returned Fake without a RuleCard",
        ),
        (METRIC.replace("def compute", "def calculate") + HOOK, ": metric 'half' has no compute"),
        (METRIC + HOOK.replace("Fake()", "Fake(7)"), ": permaudit_metrics returned Fake with an id that is no name"),
        (METRIC + HOOK.replace("Fake()", "Fake('')"), ": permaudit_metrics returned Fake with an id that is no name"),
        (METRIC + HOOK.replace("Fake()", "Fake('cm3')"), ": metric id 'cm3' is reserved for permaudit itself"),
        (METRIC + HOOK.replace("Fake()", "Fake('CM3')"), ": metric id 'CM3' is reserved for permaudit itself"),
        (METRIC + HOOK.replace("Fake()", "Fake('Um')"), ": metric id 'Um' is reserved for permaudit itself"),
    ],
)
def test_a_plugin_that_breaks_the_contract_is_an_error_that_names_it(install, source, message):
    install("acme-metrics", {"acme": source})
    text = refusal()
    assert text.startswith(WHO + message if message.startswith(":") else f"{WHO} {message}")


def test_an_entry_point_that_names_an_attribute_is_an_error_that_names_the_plugin(install):
    install("acme-metrics", {"acme": METRIC + HOOK}, {"acme": "acme:Fake"})
    assert refusal().startswith(f"{WHO} cannot be imported")


def test_a_distribution_without_a_name_is_left_alone(install):
    folder = install("acme-metrics", {"acme": METRIC + HOOK})
    next(folder.glob("*.dist-info/METADATA")).unlink()
    assert "half" not in load_plugins().catalogue.metrics


@pytest.mark.parametrize("pretended", ["permaudit", "PermAudit", "acme-metrics"])
def test_a_distribution_that_calls_itself_another_is_never_imported_whatever_is_listed(install, pretended):
    install("acme-metrics", {"acme": METRIC + HOOK})
    folder = install("zeta", {"zeta": "raise SystemExit('imported')"})
    [about] = folder.glob("*.dist-info/METADATA")
    about.write_text(f"Metadata-Version: 2.1\nName: {pretended}\nVersion: 1.0\n", encoding="utf-8")
    host = load_plugins([Allowed.reading(name) for name in ("acme-metrics", "permaudit")])
    assert "half" in host.catalogue.metrics
    assert [one.distribution for one in host.refused] == [f"{pretended.lower()}, by its own word"]
    assert "zeta" not in sys.modules


# --------------------------------------------------------------------------- pinned by content


def pinned(digest, text="acme-metrics"):
    return [Allowed(Requirement(text), (digest,))]


def test_a_distribution_with_the_files_that_somebody_looked_at_is_loaded(install):
    install("acme-metrics", {"acme": METRIC + HOOK})
    digest = distribution_hash("acme-metrics", ["acme"])
    assert "half" in load_plugins(pinned(digest)).catalogue.metrics


@pytest.mark.parametrize("change", ["# one more line\n", " "])
def test_a_distribution_with_other_files_is_refused_before_it_is_imported(install, change):
    folder = install("acme-metrics", {"acme": METRIC + HOOK})
    digest = distribution_hash("acme-metrics", ["acme"])
    with (folder / "acme.py").open("a", encoding="utf-8") as stream:
        stream.write(change)
    now = distribution_hash("acme-metrics", ["acme"])
    with pytest.raises(PluginError) as caught:
        load_plugins(pinned(digest))
    assert str(caught.value) == (
        f"plugins.allow asks for the files of acme-metrics 1.0 with sha256 {digest}, "
        f"but those that are installed hash to {now}"
    )
    assert "acme" not in sys.modules


def test_two_hashes_that_do_not_agree_let_nothing_in(install):
    install("acme-metrics", {"acme": METRIC + HOOK})
    digest = distribution_hash("acme-metrics", ["acme"])
    with pytest.raises(PluginError, match=f"with sha256 {'0' * 64}"):
        load_plugins([Allowed(Requirement("acme-metrics"), (digest, "0" * 64))])


def test_a_pin_in_the_audit_file_holds_from_end_to_end(install, write_audit, permaudit, tmp_path):
    install("acme-metrics", {"acme": METRIC + HOOK})
    digest = distribution_hash("acme-metrics", ["acme"])
    for sha256, code in ((digest, 0), (digest.upper(), 0), ("0" * 64, 2)):
        audit = write_audit(plugins={"allow": [{"name": "acme-metrics>=1", "sha256": sha256}]})
        ran = permaudit("run", audit, "--out", tmp_path / "out")
        assert ran.code == code, ran.err
    assert ran.err.startswith("plugins.allow asks for the files of acme-metrics 1.0 with sha256 000")
    (record,) = [
        one
        for one in from_json((tmp_path / "out" / "audit.json").read_bytes()).provenance.plugins
        if one.distribution == "acme-metrics"
    ]
    assert (record.name, record.version, record.sha256) == ("acme", "1.0", digest)


# --------------------------------------------------------------------------- made for another contract


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (
            "",
            (
                " does not say for which plugin API it is made; permaudit 0.1.0 has plugin API 1: once it is made for that, "
                "write permaudit_api = 1 into module acme"
            ),
        ),
        (
            "permaudit_api = 2",
            (
                " is made for plugin API 2, which is newer: permaudit 0.1.0 has plugin API 1; "
                "upgrade permaudit, or install an older acme-metrics"
            ),
        ),
        (
            "permaudit_api = 0",
            (
                " is made for plugin API 0, which is older than any that still works (1): permaudit 0.1.0 has plugin API 1; "
                "upgrade acme-metrics, or install an older permaudit"
            ),
        ),
        ("permaudit_api = '1'", ": permaudit_api must be a whole number, such as 1"),
        ("permaudit_api = True", ": permaudit_api must be a whole number, such as 1"),
        ("permaudit_api = 1.0", ": permaudit_api must be a whole number, such as 1"),
    ],
)
def test_a_plugin_that_is_not_made_for_this_api_is_refused_with_what_to_do(install, declared, message):
    install("acme-metrics", {"acme": (METRIC + HOOK).replace("permaudit_api = 1", declared)})
    assert refusal() == WHO + message


def test_a_hook_that_only_a_newer_api_has_is_told_as_such(install):
    source = METRIC.replace("permaudit_api = 1", "permaudit_api = 2") + HOOK.replace("_metrics", "_oracles")
    install("acme-metrics", {"acme": source})
    assert "made for plugin API 2, which is newer" in refusal()


def test_a_plugin_that_imports_what_permaudit_does_not_have_is_told_that_it_may_be_made_for_another_version(install):
    install("acme-metrics", {"acme": "from permaudit import Oracle\n" + METRIC + HOOK})
    text = refusal()
    assert text.startswith(f"{WHO} cannot be imported: ImportError: cannot import name 'Oracle' from 'permaudit'")
    assert text.endswith("; it may be made for another version than permaudit 0.1.0, which has plugin API 1")


def test_an_import_of_something_else_that_fails_says_nothing_of_versions(install):
    install("acme-metrics", {"acme": "from json import Oracle\n" + METRIC + HOOK})
    assert "plugin API" not in refusal()


@pytest.mark.parametrize("still_works", [0, 1])
def test_what_an_older_api_still_allows_is_loaded(install, monkeypatch, still_works):
    install("acme-metrics", {"acme": METRIC + HOOK})
    monkeypatch.setattr(hookspecs, "API", 3)
    monkeypatch.setattr(hookspecs, "OLDEST_API", still_works)
    assert "half" in load_plugins(allow("acme-metrics")).catalogue.metrics


# --------------------------------------------------------------------------- two providers of one thing


def test_two_metrics_of_one_plugin_with_the_same_id_are_an_error(install):
    install("acme-metrics", {"acme": METRIC + HOOK.replace("[Fake()]", "[Fake(), Fake()]")})
    assert refusal() == "metric 'half' is provided by both acme-metrics 1.0 and acme-metrics 1.0; uninstall one"


@pytest.mark.parametrize("name", ["half", "HALF", "Half"])
def test_two_distributions_with_one_id_are_an_error_also_when_only_the_case_differs(install, name):
    install("acme-metrics", {"acme": METRIC + HOOK})
    install("zeta", {"zeta": METRIC + HOOK.replace("Fake()", f"Fake({name!r})")}, version="3.1")
    with pytest.raises(PluginError) as caught:
        load_plugins(allow("acme-metrics", "zeta"))
    assert str(caught.value) == f"metric '{name}' is provided by both acme-metrics 1.0 and zeta 3.1; uninstall one"


PROVIDER = """
from permaudit import AnonymizerCard, EngineCard, Parameters, ReaderCard, RuleCard, TemplateCard, hookimpl

permaudit_api = 1

class Lax:
    card = {card}
    parameters = Parameters
    anonymize = columns = directory = judge = limits = metrics = moments = prepare = read = None

@hookimpl
def permaudit_{kind}():
    return [Lax()]
"""
ANONYMIZER = "AnonymizerCard(id='MDAV', title='t', kind='masked', linked=True, reference='r', summary='s')"


@pytest.mark.parametrize(
    ("kind", "card", "what"),
    [
        ("rules", "RuleCard(id='judged-by-a-threshold', title='t', why='w')", "rule id 'judged-by-a-threshold'"),
        ("rules", "RuleCard(id='no-identifiers', title='t', why='w')", "rule id 'no-identifiers'"),
        ("anonymizers", ANONYMIZER, "anonymizer id 'MDAV'"),
        ("readers", "ReaderCard(id='csv', title='t', suffixes=('.odd',))", "reader id 'csv'"),
        ("readers", "ReaderCard(id='odd', title='t', suffixes=('.odd', '.CSV'))", "file suffix '.csv'"),
        ("engines", "EngineCard(id='memory', title='t', summary='s')", "engine id 'memory'"),
        ("templates", "TemplateCard(id='board', title='t', summary='s')", "template set id 'board'"),
    ],
)
def test_whatever_permaudit_itself_provides_is_reserved(install, kind, card, what):
    install("acme-metrics", {"acme": PROVIDER.format(kind=kind, card=card)})
    assert refusal() == f"{WHO}: {what} is reserved for permaudit itself"


def test_the_entry_point_name_of_a_built_in_cannot_be_taken(install):
    install("acme-metrics", {"acme": METRIC + HOOK}, {"cm3": "acme"})
    assert refusal() == "plugin 'cm3' is provided by both permaudit 0.1.0 and acme-metrics 1.0; uninstall one"
    assert "acme" not in sys.modules


def test_an_entry_point_name_that_is_taken_by_an_unlisted_plugin_does_no_harm(install):
    install("acme-metrics", {"acme": METRIC + HOOK}, {"cm3": "acme"})
    assert load_plugins().catalogue.metrics["CM3"].card.title == "Intruder's view"


def test_two_readers_of_one_suffix_are_an_error(install):
    for name in ("acme", "zeta"):
        card = f"ReaderCard(id={name!r}, title='t', suffixes=('.odd',))"
        install(name, {name: PROVIDER.format(kind="readers", card=card)})
    with pytest.raises(PluginError) as caught:
        load_plugins(allow("acme", "zeta"))
    assert str(caught.value) == "reader for '.odd' is provided by both acme 1.0 and zeta 1.0; uninstall one"
