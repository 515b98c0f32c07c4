"""Texts in other languages: their tables, boxes and days give what they say by structure alone."""

import pytest

from core.dates.reading import written_dates
from tests.ingest.extracting import extract, names

_GERMAN = """# Protokoll vom 12. März 2026

Wir haben über die Pumpen im Hafen gesprochen und den Lieferanten gedankt.

| Aufgabe | Verantwortlich | Bis |
| --- | --- | --- |
| Kran prüfen | Mei Tanaka | 20.03.2026 |
| Tor streichen | Olga Stein | 21.03.2026 |

- [ ] Olga Stein: Lampe an das Lager schicken bis 10. April 2026
- [x] Mei Tanaka: Dach messen
"""
_FRENCH = """# Réunion du 12 mars 2026

Nous avons parlé des pompes du port et de leur entretien pendant une heure.

| Tâche | Responsable | Échéance |
| --- | --- | --- |
| Commander la lampe | Inès Falc et Jean Roux | 20/03/2026 |
"""
_CHINESE = """# 码头会议 2026年3月12日

我们讨论了码头的旧灯和新的价格，大家都同意更换。由值班人员负责记录，采购部门报告了新的报价，并请财务部门核对以后提交。

| 任务 | 负责人 | 截止日期 |
| --- | --- | --- |
| 更换灯泡 | 陈美 | 2026年3月20日 |

- [ ] 王刚：检查屋顶 2026-03-27前
"""


def tasks(text: str) -> list[tuple[str, list[str], str | None]]:
    """The category, owners and due day of each event."""
    found = extract(text, context="meeting").events
    return [
        (
            event.category,
            [name for name, role in event.actors if role == "owner"],
            f"{event.due:%m-%d}" if event.due else None,
        )
        for event in found
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (_GERMAN, [("Mei Tanaka", "03-20"), ("Olga Stein", "03-21"), ("Olga Stein", "04-10")]),
        (_FRENCH, [("Inès Falc", "03-20")]),
        (_CHINESE, [("陈美", "03-20"), ("王刚", "03-27")]),
    ],
)
def test_tables_of_tasks_and_boxes_have_owners_and_days(text: str, told: list[tuple[str, str]]) -> None:
    """A day that ends with a point ends no sentence, and a wide colon is one."""
    found = [(owners[0], due) for category, owners, due in tasks(text) if category == "Commitment"]
    assert found == told


def test_a_box_that_is_ticked_is_done() -> None:
    assert ("Execution", ["Mei Tanaka"], None) in tasks(_GERMAN)
    assert names(extract(_GERMAN, context="meeting"), "person") == {"Mei Tanaka", "Olga Stein"}


@pytest.mark.parametrize(
    ("text", "iso"),
    [("会议2026年3月12日举行", "2026-03-12"), ("2026년 3월 12일 회의", "2026-03-12"), ("令和 2026年3月", "2026-03")],
)
def test_days_of_east_asia_are_read(text: str, iso: str) -> None:
    assert [one.iso() for one in written_dates(text)] == [iso]
