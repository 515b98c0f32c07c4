"""Answer size: what `recall` sends a model that gives the query alone, and how much of it is passages."""

from collections.abc import Sequence
from typing import Final

from mcp import Client
from mcp_types import TextContent

from core.errors import Unavailable
from evals.client import Advance
from evals.conversations import Held
from evals.figures import Figure, Row, Table
from retrieval.evaluation.measurement import recall_at
from retrieval.models.tokenizer import estimate_model_tokens

#: Tokens of a text block that at least half of the answers stay under.
_SMALL: Final = 900
_TITLE: Final = "LoCoMo: size of a brief answer by the query alone"
_NOTE: Final = (
    f"Share of the answers with under {_SMALL} tokens in their text block, as `estimate_model_tokens` counts them; "
    "share of these tokens that are passages; share of a question's evidence turns among the results sent."
)


async def table(client: Client, held: Sequence[Held], advance: Advance) -> Table:
    """Ask each answerable question with nothing but its words, and return what came.

    Raises:
        Unavailable: a question was refused.
    """
    small, passages, recalled = list[float](), list[float](), list[float]()
    for one in held:
        for question in filter(lambda question: question.is_answerable, one.conversation.questions):
            given = {"query": question.query, "project_id": one.conversation.name}
            said = await client.call_tool("recall", given)
            results = (said.structured_content or {}).get("results")
            if results is None or not isinstance(said.content[0], TextContent):
                raise Unavailable(f"recall failed: {said.content}")
            tokens = estimate_model_tokens(said.content[0].text)
            small.append(float(tokens < _SMALL))
            passages.append(sum(estimate_model_tokens(result["content"]) for result in results) / tokens)
            recalled.append(recall_at([result["id"] for result in results], one.evidence(question), 10))
            advance(1)
    figures = (
        Figure(f"under {_SMALL} tokens", tuple(small), 0.5),
        Figure("passages", tuple(passages), 0.6),
        Figure("evidence", tuple(recalled)),
    )
    return Table(_TITLE, _NOTE, (Row("brief", figures),), compared=False)
