"""Tasks of Org, Logseq, Obsidian and todo.txt: what is to be done, by when, without the marks of their programs."""

from core.knowledge.ledger import SURE
from tests.ingest.extracting import extract


def tasks(content: str) -> dict[str, str]:
    """Return by when each open task is due, by its summary."""
    found = extract(content, context="note").events
    return {
        one.summary: str(one.due)[:10] if one.due else ""
        for one in found
        if one.category == "Commitment" and one.confidence >= SURE
    }


def test_a_summary_of_a_task_is_its_words_alone() -> None:
    logseq = (
        "- TODO send the berth list\n  SCHEDULED: <2026-03-12 Thu .+1w>\n  :LOGBOOK:\n  CLOCK: [2026-03-04 Wed 10:00]\n"
        "  :END:\n- LATER [#B] read the tables ((65f0c2))\n  id:: 65f0c2aa\n- DONE pay the diver\n- CANCELED sell it\n"
        "- NOW write to [[Harbour office]]\n  DEADLINE: <2026-03-31 Tue>\n- WAITING for the permit of the office\n"
    )
    assert tasks(logseq) == {
        "Send the berth list": "2026-03-12",
        "Read the tables": "",
        "Write to Harbour office": "2026-03-31",
        "WAITING for the permit of the office": "",
    }
    org = "* TODO [#A] Order the pump            :harbour:\n  DEADLINE: <2026-03-20 Fri> SCHEDULED: <2026-03-18 Wed>\n"
    assert tasks(org) == {"Order the pump": "2026-03-20"}
    obsidian = (
        "- [ ] Order the rope 📅 2026-03-20 🔼\n- [ ] Call the insurer ⏳ 2026-03-12 ⏫\n- [x] Pay ✅ 2026-03-01\n"
        "- [ ] Water the plants 🔁 every week 📅 2026-03-13\n- [ ] Oil it well [due:: 2026-03-21] [priority:: high]\n"
    )
    assert tasks(obsidian) == {
        "Order the rope": "2026-03-20",
        "Call the insurer": "2026-03-12",
        "Water the plants every week": "2026-03-13",
        "Oil it well": "2026-03-21",
    }
