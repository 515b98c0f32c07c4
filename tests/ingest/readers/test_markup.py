"""Org, AsciiDoc, reStructuredText and LaTeX: titles, fields, headings, lists, tasks and tables; no comments."""

from pathlib import Path
from typing import Final

import pytest

from tests.ingest.readers.reading import format_of, memories, put

ORG: Final = """# A comment.
#+TITLE: Quay works
#+AUTHOR: Mei Tanaka
#+DATE: <2025-03-04 Tue>
#+FILETAGS: :harbour:
#+OPTIONS: toc:nil
:PROPERTIES:
:ID: 7
:END:

* Pumps                                                   :pump:
  The *old* one leaks, see [[https://quay.example/p][the report]] and [[file:basin.org][Basin]].
** TODO [#A] Order a new one
   DEADLINE: <2025-03-14 Fri>
   :LOGBOOK:
   CLOCK: [2025-03-01 Sat 10:00]
   - Note taken on Saturday
   :END:
   It must be quiet.
** DONE Drain the basin
   CLOSED: [2025-03-01 Sat]
* COMMENT Later
#+begin_src sh
# kept as code
* not a headline
#+end_src
#+begin_comment
Nobody reads this.
#+end_comment
- [X] Paint
- term :: what it means
| Boat | Age |
|------+-----|
| Teal | =4= |
"""
ADOC: Final = """//
// Licence of the office
//
= Minutes of the quay board
Mei Tanaka <mei@quay.example>
v1.0, 2025-03-04: first
:toc:
:place: Pier 7

== Present

Mei at {place}, see <<pumps,the pumps>> and https://quay.example[our page].

////
Nobody reads this.
////
[#pumps]
=== Pumps

* The *old* one leaks
** badly
* [x] Drained
. First
NOTE: It is loud.

[source,sh]
----
= not a title
----
.Boats
[cols="1,1"]
|===
|Boat |Age

|Teal
|4
|===
Berth:: number seven
____
So she said.
____
"""
RST: Final = """.. A comment that
   goes on.

=================
Report on the quay
=================

:Author: Mei Tanaka
:Date: 4 March 2025
:Status: draft

Pumps
-----

The old one leaks, see `the report <https://quay.example/p>`_ and :ref:`Basin <basin>` or ``pump -v``.

.. note:: It is loud.

.. _basin:

Run this::

   pump --drain

.. code-block:: python
   :linenos:

   print("drained")

.. toctree::
   :maxdepth: 2

   other

=====  ===
Boat   Age
=====  ===
Teal   4
Heron  12
=====  ===

* The basin is empty.
#. First

Later
~~~~~

.. [1] A footnote.
"""
TEX: Final = r"""\documentclass[12pt]{article} % a comment
\usepackage{graphicx}
\title{The quay of P\"ar and \'Elodie}
\author{Mei Tanaka \and Ben Ode}
\date{4 March 2025}
\begin{document}
\maketitle
% Nobody reads this.
\section{Pumps}\label{sec:pumps}
The \textbf{old} one leaks~\cite{x}, see Section~\ref{sec:pumps}; 30\% of it\footnote{Says Ben.}.
\begin{itemize}
  \item Drain the basin
  \item[Then] paint it
\end{itemize}
\begin{tabular}{l|r}
\hline
Boat & Age \\
Teal & 4
\end{tabular}
\begin{verbatim}
\section{not a section}
\end{verbatim}
\subsection*{Later}
It costs \$5 -- or $x^2$.
\end{document}
"""
GRID: Final = """Boats
=====

+-------+---------+
| Boat  | Berth   |
+=======+=========+
| Heron | At the  |
|       | quay    |
+-------+---------+
| Teal  |         |
+-------+---------+
"""
BOXES: Final = r"""\begin{document}\hypertarget{b}{%
\section{Boats}}
\begin{longtable}[]{@{}ll@{}}
\toprule
\begin{minipage}[b]{\linewidth}\raggedright
Boat
\end{minipage} & \begin{minipage}[b]{\linewidth}
Berth
\end{minipage} \\
\midrule
Heron & At the
quay \\
Teal & \\
\end{longtable}
\end{document}
"""
TEXTS: Final = {"plan.org": ORG, "minutes.adoc": ADOC, "report.rst": RST, "quay.tex": TEX}


@pytest.mark.parametrize(
    ("name", "title", "author"),
    [
        ("plan.org", "Quay works", "Mei Tanaka"),
        ("minutes.adoc", "Minutes of the quay board", "Mei Tanaka"),
        ("report.rst", "Report on the quay", "Mei Tanaka"),
        ("quay.tex", "The quay of Pär and Élodie", "Mei Tanaka, Ben Ode"),
    ],
)
def test_title_author_and_day_are_those_of_the_text(tmp_path: Path, name: str, title: str, author: str) -> None:
    """And no comment is text."""
    (memory,) = memories(put(tmp_path, name, TEXTS[name]))
    assert (memory.title, memory.author) == (title, author)
    assert memory.moment() is not None
    assert (memory.date or "")[:10] == "2025-03-04"
    assert "Nobody reads this" not in memory.content
    assert "omment" not in memory.content.replace("COMMENT", "")


def test_headlines_of_org_are_headings_and_tasks(tmp_path: Path) -> None:
    path = put(tmp_path, "plan.org", ORG)
    (memory,) = memories(path)
    assert format_of(path) == "org"
    assert memory.tags == ("harbour", "pump")
    lines = [line for line in memory.content.split("\n") if line.strip()]
    assert lines == [
        "# Pumps",
        "  The **old** one leaks, see [the report](https://quay.example/p) and [[Basin]].",
        "- TODO [#A] Order a new one",
        "  DEADLINE: <2025-03-14 Fri>",
        "   - Note taken on Saturday",
        "   It must be quiet.",
        "- DONE Drain the basin",
        "  CLOSED: [2025-03-01 Sat]",
        "# COMMENT Later",
        "```sh",
        "# kept as code",
        "* not a headline",
        "```",
        "- [X] Paint",
        "- term: what it means",
        "| Boat | Age |",
        "|------+-----|",
        "| Teal | `4` |",
    ]


def test_own_states_of_tasks_in_org_are_read(tmp_path: Path) -> None:
    text = "#+TODO: BUY(b) | BOUGHT\n* BUY rope\n* BOUGHT a lamp\n* API design\n"
    (memory,) = memories(put(tmp_path, "a.org", text))
    assert memory.content == "- TODO rope\n\n- DONE a lamp\n\n# API design"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.rst",
            "Q\n=\n\nIt leaks. [1]_ See `the\ntale <https://quay.example/p>`__ now.\n\n.. [1]\n  At the\n  east end.",
            "It leaks.[1] See [the tale](https://quay.example/p) now.\n\n[1] At the east end.",
        ),
        (
            "a.adoc",
            "= Quay\nMei Tanaka\n2025-03-04\n\nIt leaks.footnote:[At the\neast end.] We wait.",
            "It leaks.[1] We wait.\n\n[1] At the east end.",
        ),
    ],
)
def test_footnotes_are_kept_behind_their_marks(tmp_path: Path, name: str, text: str, expected: str) -> None:
    """As converters write them, over lines; a link, too."""
    (memory,) = memories(put(tmp_path, name, text))
    assert memory.content.endswith(expected)
    assert name != "a.adoc" or (memory.author, str(memory.date)) == ("Mei Tanaka", "2025-03-04")


@pytest.mark.parametrize(("name", "text"), [("a.rst", GRID), ("a.tex", BOXES)])
def test_cells_of_several_lines_are_one(tmp_path: Path, name: str, text: str) -> None:
    """In a grid, and in boxes that only place their words."""
    (memory,) = memories(put(tmp_path, name, text))
    rows = [line for line in memory.content.splitlines() if line.strip()]
    assert [row.replace("|  |", "| |") for row in rows] == [
        rows[0], "| Boat | Berth |", "| Heron | At the quay |", "| Teal | |",
    ]  # fmt: skip
    assert rows[0].endswith("# Boats")


def test_asciidoc_is_read_with_lists_tables_and_code(tmp_path: Path) -> None:
    (memory,) = memories(put(tmp_path, "minutes.adoc", ADOC))
    assert [line for line in memory.content.split("\n") if line.strip()] == [
        "# Minutes of the quay board",
        "## Present",
        "Mei at Pier 7, see the pumps and [our page](https://quay.example).",
        "### Pumps",
        "- The **old** one leaks",
        "  - badly",
        "- [x] Drained",
        "1. First",
        "NOTE: It is loud.",
        "```sh",
        "= not a title",
        "```",
        "**Boats**",
        "| Boat | Age |",
        "| Teal | 4 |",
        "- Berth: number seven",
        "> So she said.",
    ]


def test_restructured_text_is_read_with_directives_and_tables(tmp_path: Path) -> None:
    (memory,) = memories(put(tmp_path, "report.rst", RST))
    assert [line for line in memory.content.split("\n") if line.strip()] == [
        "# Report on the quay",
        "## Pumps",
        "The old one leaks, see [the report](https://quay.example/p) and Basin or `pump -v`.",
        "Note: It is loud.",
        "Run this:",
        "```",
        "pump --drain",
        "```",
        "```python",
        'print("drained")',
        "```",
        "| Boat | Age |",
        "| Teal | 4 |",
        "| Heron | 12 |",
        "* The basin is empty.",
        "1. First",
        "### Later",
        "[1] A footnote.",
    ]
    assert memory.metadata == {"status": "draft"}


def test_latex_is_read_without_its_commands(tmp_path: Path) -> None:
    (memory,) = memories(put(tmp_path, "quay.tex", TEX))
    assert [line for line in memory.content.split("\n") if line.strip()] == [
        "## Pumps",
        "The old one leaks , see Section ; 30% of it (Says Ben.).",
        "- Drain the basin",
        "- Then: paint it",
        "| Boat | Age |",
        "| Teal | 4 |",
        "```",
        r"\section{not a section}",
        "```",
        "### Later",
        "It costs $5 – or $x^2$.",
    ]


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_of_comments_alone_holds_no_text(tmp_path: Path, name: str) -> None:
    comment = {".org": "# x", ".adoc": "// x", ".rst": ".. x", ".tex": "% x"}[Path(name).suffix]
    assert memories(put(tmp_path, name, f"{comment}\n")) == []


def test_tasks_of_todo_txt_are_boxes_with_their_tags(tmp_path: Path) -> None:
    text = "(A) 2025-03-01 Call Ben +quay @phone due:2025-03-14\nx 2025-03-04 2025-03-01 Drain the basin\nOrder rope\n"
    path = put(tmp_path, "todo.txt", text)
    (memory,) = memories(path)
    assert format_of(path) == "todo.txt"
    assert memory.tags == ("quay", "phone")
    assert memory.content == (
        "- [ ] Call Ben #quay #phone due:2025-03-14 created:2025-03-01 (priority A)\n"
        "- [x] Drain the basin completed:2025-03-04 created:2025-03-01\n- [ ] Order rope"
    )
