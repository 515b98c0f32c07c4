# The service as one image; compose.yaml says what it runs beside.
FROM python:3.11.14-slim-bookworm
WORKDIR /app
COPY requirements.lock ./
RUN python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement requirements.lock
COPY pyproject.toml README.md LICENSE server.py ./
COPY core core
COPY graph graph
COPY ingest ingest
COPY retrieval retrieval
COPY samples samples
COPY service service
RUN python -m pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation . \
    && useradd --create-home remembrancer
USER remembrancer
ENTRYPOINT ["remembrancer"]
CMD ["serve"]
