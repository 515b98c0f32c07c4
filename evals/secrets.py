"""`python -m evals.secrets [PATH...]`: secrets that are found, and marks where there is none.

300 secrets are made by a generator with a seed, each by its published form, in sentences, code, logs and settings. Marks
are counted in texts without secrets: made-up ones (hashes, ids, pictures, placeholders), all files of this repository,
and those at and below each PATH.
"""
# ruff: noqa: E501 - a row of a table is a line

import argparse
import base64
import json
import random
import string
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from core.knowledge.secrets import find_secrets

ROOT: Final = Path(__file__).resolve().parent.parent
_ALNUM: Final = string.ascii_letters + string.digits
_URL_SAFE: Final = f"{_ALNUM}-_"
_HEX: Final = "0123456789abcdef"
#: What people put around a token.
_AROUND: Final = (
    "export TOKEN={}\n",
    'client = Client("{}")  # production\n',
    "I used {} for the deployment, please rotate it.\n",
    "2026-02-11T08:15:02Z INFO auth: using {} from the environment\n",
    '{{"credentials": "{}", "region": "eu-west-1"}}\n',
    "- key: {}\n  owner: platform\n",
    "curl -H 'X-Auth: {}' https://api.example.org/v1/jobs\n",
    "> {}\n",
)
#: Texts that look like secrets and are none.
CLEAN: Final = (
    "commit 3f786850e387550fdab836ed7e6dc881de23001b fixes 89e6c98d92887913cadf06b2adb97f26cde4849b",
    'integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQHo1wx4JwY8wC"',
    "request_id=7f9c24e8-3b12-4fef-91e0-1a2b3c4d5e6f trace=4bf92f3577b34da6a3ce929d0e0e4736",
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
    "api_key = os.environ['SERVICE_API_KEY2']; token = get_token(user1, 'v2')",
    "password: ${DB_PASSWORD}\npassword = <your password here>\nAPI_KEY=xxxxxxxxxxxxxxxxxxxxxxxx",
    "postgres://user:password@localhost:5432/app and https://USER:PASSWORD@host and redis://:${REDIS}@cache",
    "OPENAI_API_KEY=sk-your-key-here and ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjGnJ5a1jWz8a7yZ1b2c ana@laptop",
    "data:image/png;base64," + base64.b64encode(random.Random(5).randbytes(600)).decode(),  # noqa: S311 - repeatable
    "The password policy asks for 12 characters; the token count was 4096, the key result is 75%.",
    "max_tokens: 16384k, tokenizer: cl100k_base, key: oncall-rota-2026, secret_name: db-main-2",
    '"token": "string", "next_page_token": null, "password_hash": "$2b$12$", "author_key": "smith2019deep"',
)  # fmt: skip


def _of(chance: random.Random, letters: str, length: int) -> str:
    return "".join(chance.choices(letters, k=length))


def _password(chance: random.Random) -> str:
    parts = [string.ascii_lowercase, string.ascii_uppercase, string.digits, "!#%^*_-+"]
    return "".join(chance.sample([chance.choice(part) for part in parts for _ in range(chance.randint(3, 4))], k=12))


def _pem(chance: random.Random) -> str:
    body = base64.b64encode(chance.randbytes(chance.choice([138, 608, 1190]))).decode()
    lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    kind = chance.choice(["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "])
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


def _jwt(chance: random.Random) -> str:
    parts = [
        {"alg": "HS256", "typ": "JWT"},
        {"sub": _of(chance, _ALNUM, 12), "exp": chance.randrange(10**9, 2 * 10**9)},
    ]
    head, body = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return f"{head}.{body}.{_of(chance, _URL_SAFE, 43)}"


def _url(chance: random.Random) -> tuple[str, str]:
    scheme = chance.choice(["postgres", "postgresql", "mysql", "mongodb+srv", "redis", "amqp", "https", "mssql", "ftp"])
    password = _of(chance, f"{_ALNUM}!*-_.~", chance.randint(9, 20)) + "7"
    return (
        f"{scheme}://{chance.choice(['app', 'svc_batch', 'anna', ''])}:{password}@db-{_of(chance, _HEX, 4)}.internal/main",
        password,
    )


def _assignment(chance: random.Random) -> tuple[str, str]:
    name = chance.choice(
        ["DB_PASSWORD", "password", "api_key", "SECRET_KEY", "clientSecret", "access_token", "AWS_SECRET_ACCESS_KEY"]
    )
    value = (
        _of(chance, f"{_ALNUM}/+", 40)
        if name.startswith("AWS")
        else chance.choice([_password(chance), _of(chance, _ALNUM, 32)])
    )
    return chance.choice(["{}={}", '{} = "{}"', '"{}": "{}"', "{}: {}", "{}='{}'"]).format(name, value), value


def _header(chance: random.Random) -> tuple[str, str]:
    value = _of(chance, _ALNUM, 40)
    return f"Authorization: Bearer {value}", value


def _ado(chance: random.Random) -> tuple[str, str]:
    value = _password(chance).replace(";", "")
    return f"Server=db7;Database=main;User Id=app;Password={value};Encrypt=True", value


#: Makes a secret, by kind: the token itself, or what is written around it and the token.
KINDS: Final[dict[str, Callable[[random.Random], str | tuple[str, str]]]] = {
    "AWS access key": lambda r: "AKIA" + _of(r, string.ascii_uppercase + "234567", 16),
    "GitHub": lambda r: f"gh{r.choice('pousr')}_{_of(r, _ALNUM, 36)}",
    "GitHub, fine-grained": lambda r: f"github_pat_{_of(r, _ALNUM, 22)}_{_of(r, _ALNUM, 59)}",
    "GitLab": lambda r: f"glpat-{_of(r, _URL_SAFE, 20)}",
    "Slack": lambda r: f"xoxb-{_of(r, string.digits, 12)}-{_of(r, string.digits, 13)}-{_of(r, _ALNUM, 24)}",
    "Slack webhook": lambda r: f"https://hooks.slack.com/services/T{_of(r, string.digits + 'ABCDEF', 10)}/B{_of(r, string.digits + 'ABCDEF', 10)}/{_of(r, _ALNUM, 24)}",
    "Stripe": lambda r: f"{r.choice(['sk', 'rk'])}_live_{_of(r, _ALNUM, r.choice([24, 99]))}",
    "OpenAI": lambda r: f"sk-proj-{_of(r, _URL_SAFE, 74)}T3BlbkFJ{_of(r, _URL_SAFE, 74)}",
    "OpenAI, older": lambda r: f"sk-{_of(r, _ALNUM, 20)}T3BlbkFJ{_of(r, _ALNUM, 20)}",
    "Anthropic": lambda r: f"sk-ant-api03-{_of(r, _URL_SAFE, 93)}AA",
    "Google API": lambda r: f"AIza{_of(r, _URL_SAFE, 35)}",
    "npm": lambda r: f"npm_{_of(r, _ALNUM, 36)}",
    "PyPI": lambda r: f"pypi-AgEIcHlwaS5vcmc{_of(r, _URL_SAFE, 120)}",
    "Hugging Face": lambda r: f"hf_{_of(r, string.ascii_letters, 34)}",
    "SendGrid": lambda r: f"SG.{_of(r, _URL_SAFE, 22)}.{_of(r, _URL_SAFE, 43)}",
    "Twilio": lambda r: f"SK{_of(r, _HEX, 32)}",
    "Telegram": lambda r: f"{r.randrange(10**9, 10**10)}:AA{_of(r, _URL_SAFE, 33)}",
    "DigitalOcean": lambda r: f"dop_v1_{_of(r, _HEX, 64)}",
    "Azure storage": lambda r: f"DefaultEndpointsProtocol=https;AccountName=st1;AccountKey={_of(r, _ALNUM + '+/', 86)}==;EndpointSuffix=core.windows.net",
    "Discord": lambda r: f"M{_of(r, _ALNUM, 23)}.{_of(r, _URL_SAFE, 6)}.{_of(r, _ALNUM, 27)}",
    "JWT": _jwt,
    "private key": _pem,
    "connection string": _url,
    "ADO connection string": _ado,
    "assignment": _assignment,
    "bearer header": _header,
}  # fmt: skip


def generated(seed: int, count: int) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, a text and the secret in it, of so many secrets, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    kinds = list(KINDS)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        made = KINDS[kind](chance)
        written, secret = made if isinstance(made, tuple) else (made, made)
        if kind == "Slack webhook":
            secret = written.rpartition("/")[2]
        elif kind == "Azure storage":
            secret = written.partition("AccountKey=")[2].partition(";")[0]
        elif kind == "private key":
            secret = written.splitlines()[1]
        yield kind, f"{uuid.UUID(int=chance.getrandbits(128))}\n{chance.choice(_AROUND).format(written)}", secret


def is_found(text: str, secret: str) -> bool:
    """Whether no part of a secret that is worth knowing stays in the text."""
    kept, at = [], 0
    for one in find_secrets(text):
        kept.append(text[at : one.start_char])
        at = one.end_char
    left = "\0".join([*kept, text[at:]])
    return secret[len(secret) // 3 : -1] not in left and secret not in left


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both figures; return 1 if under 95 % are found or anything is marked that is no secret."""
    parser = argparse.ArgumentParser(prog="python -m evals.secrets", description=(__doc__ or "").partition("\n")[2])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="more texts without secrets")
    parser.add_argument("--seed", type=int, default=43, help="of the generator (default: %(default)s)")
    parser.add_argument("--count", type=int, default=300, help="secrets that are made (default: %(default)s)")
    options = parser.parse_args(arguments)
    missed = Counter(
        kind for kind, text, secret in generated(options.seed, options.count) if not is_found(text, secret)
    )
    for kind, count in missed.items():
        sys.stdout.write(f"missed: {count} of {kind}\n")
    found = options.count - missed.total()
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)  # noqa: S607
    tracked = listing.stdout
    files = [ROOT / name for name in tracked.split("\0") if name]
    files += [file for path in options.paths for file in ([path] if path.is_file() else sorted(path.rglob("*")))]
    marks = characters = 0
    for name, text in [*((f"clean {number}", text) for number, text in enumerate(CLEAN)), *_texts(files)]:
        characters += len(text)
        for one in find_secrets(text):
            marks += 1
            line = text.count("\n", 0, one.start_char) + 1
            sys.stdout.write(f"marked: {name}, line {line}: {one.name}\n")
    sys.stdout.write(
        f"found {found} of {options.count} ({found / options.count:.1%}); "
        f"{marks} marks in {len(CLEAN) + len(files)} texts of {characters:,} characters without secrets\n"
    )
    return int(found < 0.95 * options.count or marks > 0)


def _texts(files: Sequence[Path]) -> Iterator[tuple[str, str]]:
    for file in files:
        if file.is_file():
            yield str(file), file.read_bytes().decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
