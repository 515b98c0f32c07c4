"""Runs, readings and findings as the fields of a row or a node, and back. For every engine."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core.interface.results import to_json
from core.knowledge.runs import Findings, Run, RunScope, RunTally
from core.transfer import KeptReading
from graph import knowledge_codec


def run_fields(run: Run) -> dict[str, object]:
    """Return all fields of a run but its ids and times; scope and tally are JSON."""
    return {
        "extractor": run.extractor,
        "scope": json.dumps(to_json(run.scope)),
        "state": run.state,
        "tally": json.dumps(to_json(run.tally)),
    }


def run(fields: Mapping[str, Any], *, started: datetime, ended: datetime | None) -> Run:
    """Return a run of its `run_fields`, ids and times."""
    scope = json.loads(fields["scope"])
    return Run(
        id=fields["id"],
        project_id=fields["project_id"],
        extractor=fields["extractor"],
        scope=RunScope(**scope | {"ids": tuple(scope["ids"])}),
        started=started,
        state=fields["state"],
        ended=ended,
        tally=RunTally(**json.loads(fields["tally"])),
    )


def reading_fields(reading: KeptReading) -> dict[str, object]:
    """Return all fields of a reading; what was found and stood before is JSON."""
    return {
        "run_id": reading.run_id,
        "found": None if reading.found is None else knowledge_codec.extraction_text(reading.found),
        "standing": knowledge_codec.knowledge_text(reading.standing),
        "waits": reading.waits,
        "finished": reading.finished,
    }


def reading(fields: Mapping[str, Any]) -> KeptReading:
    """Return a reading of its `reading_fields`."""
    return KeptReading(
        run_id=fields["run_id"],
        found=None if fields["found"] is None else knowledge_codec.extraction(fields["found"]),
        standing=knowledge_codec.knowledge(fields["standing"]),
        waits=bool(fields["waits"]),
        finished=bool(fields["finished"]),
    )


def findings_fields(findings: Findings) -> dict[str, object]:
    """Return the fields of findings."""
    return {
        "extractor": findings.extractor,
        "proposed": findings.proposed,
        "text_hash": findings.text_hash,
        "found": knowledge_codec.extraction_text(findings.found),
    }


def findings(fields: Mapping[str, Any]) -> Findings:
    """Return findings of their fields."""
    return Findings(
        extractor=fields["extractor"],
        text_hash=fields["text_hash"],
        found=knowledge_codec.extraction(fields["found"]),
        proposed=bool(fields["proposed"]),
    )
