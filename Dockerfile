# The service as one image; compose.yaml says what it runs beside. The target `catalogue` is for catalogues of MCP servers, which start one process a
# client on standard input and output and keep /memory as a volume.
FROM python:3.11.14-slim-bookworm AS build
WORKDIR /build
COPY requirements.lock ./
RUN python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement requirements.lock
COPY pyproject.toml hatch_build.py README.md LICENSE server.py ./
COPY core core
COPY graph graph
COPY ingest ingest
COPY remembrancer remembrancer
COPY retrieval retrieval
COPY samples samples
COPY service service
COPY web web
RUN python -m pip wheel --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir wheels .

FROM python:3.11.14-slim-bookworm AS installed
COPY service.lock /tmp/
RUN python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement /tmp/service.lock \
    && useradd --create-home remembrancer
COPY --from=build /build/wheels /tmp/wheels
RUN python -m pip install --no-cache-dir --disable-pip-version-check --no-deps /tmp/wheels/*.whl
USER remembrancer
ENTRYPOINT ["remembrancer"]

FROM installed AS catalogue
USER root
RUN install --directory --owner remembrancer --mode 700 /memory
USER remembrancer
ENV REMEMBRANCER_HOME=/memory
VOLUME /memory
CMD ["stdio"]

FROM installed
CMD ["serve"]
