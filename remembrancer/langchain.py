"""A retriever of LangChain that answers from a memory. It needs the extra `langchain`."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from remembrancer._memory import Memory


class RemembrancerRetriever(BaseRetriever):
    """Finds the passages that answer a question; `memory` stays the caller's to close.

    `filters` are arguments of `recall`, such as `context`, `tags` or `date_from`.
    """

    memory: Any
    k: int = 10
    filters: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies the default

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - the library's signature
        k: int | None = None,
    ) -> list[Document]:
        memory: Memory = self.memory
        found = memory.recall(query, limit=k or self.k, detail="full", expand=False, **self.filters)
        return [
            Document(
                id=result.id,
                page_content=result.content,
                metadata={"title": result.title, "context": result.context, "score": result.score, **result.metadata},
            )
            for result in found.results
        ]
