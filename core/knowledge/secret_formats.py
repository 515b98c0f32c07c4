"""The published forms of keys, tokens and passwords, each with where it is described: the table that `secrets` reads.

A form is looked for only where one of its `anchors` stands, which are literal, so that most of a text is not looked at
twice. All repetitions are bounded: the time is linear in the length of the text.
"""
# ruff: noqa: E501 - a row of a table is a line

import re
from dataclasses import dataclass
from typing import Final

from core.regex import regex


@dataclass(frozen=True, slots=True)
class SecretFormat:
    """One form: its name in marks, its anchors, the pattern from the anchor on, whose group `secret` is replaced, and
    its source. What must stand before the anchor is `lead`, which is a part of the secret if `leads`."""

    name: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    source: str
    lead: re.Pattern[str] | None = None
    leads: bool = False


def _form(name: str, anchors: str, pattern: str, source: str, lead: str = "") -> SecretFormat:
    """Return a form whose token is no part of a longer word; without a group of its own all of it is secret."""
    if "(?P<secret>" in pattern:
        return SecretFormat(name, tuple(anchors.split()), regex(pattern), source)
    begins = rf"(?<![A-Za-z0-9_-]){lead}\Z"
    ends = regex(rf"(?P<secret>{pattern})(?![A-Za-z0-9])")
    return SecretFormat(name, tuple(anchors.split()), ends, source, regex(begins), leads=True)


_GITHUB: Final = "https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/"
_GITLAB: Final = "https://docs.gitlab.com/security/tokens/#token-prefixes"
_SLACK: Final = "https://docs.slack.dev/authentication/tokens/"
_STRIPE: Final = "https://docs.stripe.com/keys"
_AWS: Final = "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids"
_RFC7519: Final = "https://www.rfc-editor.org/rfc/rfc7519#section-3"
_GITLEAKS: Final = "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml"

#: Tokens that are known by themselves.
TOKENS: Final[tuple[SecretFormat, ...]] = (
    _form("aws key", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}", _AWS),
    _form("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,251}", _GITHUB),
    _form("github token", "github_pat_", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", _GITHUB),
    _form(
        "gitlab token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{20,300}",
        _GITLAB,
    ),
    _form("slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe", r"xox[abeprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,250}", _SLACK),
    _form("slack token", "xapp-", r"xapp-\d-[A-Z0-9]{8,15}-\d{10,16}-[a-z0-9]{32,80}", _SLACK),
    _form(
        "slack webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9+/]{24,120})",
        "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/",
    ),
    _form("stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,247}", _STRIPE),
    _form("stripe secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{32,64}", "https://docs.stripe.com/webhooks/signature"),
    _form("anthropic key", "sk-ant-", r"sk-ant-[a-z]{2,8}\d{2}-[A-Za-z0-9_-]{80,120}", _GITLEAKS),
    _form("openai key", "sk-proj- sk-svcacct- sk-admin-", r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,220}", _GITLEAKS),
    _form("openai key", "sk-", r"sk-(?:or-v1-)?[A-Za-z0-9]{32,64}", _GITLEAKS),
    _form("google key", "AIza", r"AIza[A-Za-z0-9_-]{35}", "https://cloud.google.com/docs/authentication/api-keys"),
    _form("google secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{28}", _GITLEAKS),
    _form("google token", "ya29.", r"ya29\.[A-Za-z0-9_.-]{30,2000}", "https://developers.google.com/identity/protocols/oauth2"),
    _form("npm token", "npm_", r"npm_[A-Za-z0-9]{36}", "https://github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format/"),
    _form("pypi token", "pypi-", r"pypi-AgE[A-Za-z0-9_-]{50,1000}", "https://pypi.org/help/#apitoken"),
    _form("rubygems key", "rubygems_", r"rubygems_[a-f0-9]{48}", "https://guides.rubygems.org/api-key-scopes/"),
    _form("docker token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[A-Za-z0-9_-]{27,64}", _GITLEAKS),
    _form("hugging face token", "hf_", r"hf_[A-Za-z0-9]{34}", "https://huggingface.co/docs/hub/security-tokens"),
    _form("sendgrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{39,50}", _GITLEAKS),
    _form("mailgun key", "key-", r"key-[a-f0-9]{32}", _GITLEAKS),
    _form("mailchimp key", "-us", r"-us\d{1,2}", "https://mailchimp.com/developer/marketing/guides/quick-start/", "[a-f0-9]{32}"),
    _form("twilio key", "SK", r"SK[a-f0-9]{32}", "https://www.twilio.com/docs/glossary/what-is-a-sid"),
    _form("telegram token", ":AA", r":AA[A-Za-z0-9_-]{33}", "https://core.telegram.org/bots/api#authorizing-your-bot", r"\d{8,10}"),
    _form("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}", _GITLEAKS),
    _form("shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", _GITLEAKS),
    _form("square token", "sq0atp- sq0csp-", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}", _GITLEAKS),
    _form("databricks token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?", _GITLEAKS),
    _form("linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{40}", _GITLEAKS),
    _form("notion token", "ntn_ secret_", r"(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})", _GITLEAKS),
    _form("atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{60,300}", _GITLEAKS),
    _form("groq key", "gsk_", r"gsk_[A-Za-z0-9]{52}", "https://console.groq.com/docs/quickstart"),
    _form("xai key", "xai-", r"xai-[A-Za-z0-9]{70,90}", "https://docs.x.ai/docs/overview"),
    _form("perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{48}", _GITLEAKS),
    _form("replicate token", "r8_", r"r8_[A-Za-z0-9]{37}", "https://replicate.com/docs/topics/security/api-tokens"),
    _form("new relic key", "NRAK-", r"NRAK-[A-Z0-9]{27}", _GITLEAKS),
    _form("grafana token", "glsa_ glc_", r"(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,400})", _GITLEAKS),
    _form("vault token", "hvs. hvb.", r"hv[sb]\.[A-Za-z0-9_-]{24,300}", _GITLEAKS),
    _form("terraform token", ".atlasv1.", r"\.atlasv1\.[A-Za-z0-9_=-]{60,70}", _GITLEAKS, "[A-Za-z0-9]{14}"),
    _form("pulumi token", "pul-", r"pul-[a-f0-9]{40}", _GITLEAKS),
    _form("planetscale token", "pscale_", r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{32,64}", _GITLEAKS),
    _form("supabase key", "sbp_", r"sbp_[a-f0-9]{40}", "https://supabase.com/docs/guides/api/api-keys"),
    _form("doppler token", "dp.pt. dp.st.", r"dp\.(?:pt\.|st\.[a-z0-9_-]{0,35}\.?)[A-Za-z0-9]{40,44}", _GITLEAKS),
    _form("postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", _GITLEAKS),
    _form("azure secret", "Q~", r"Q~[A-Za-z0-9_~.-]{31,34}", _GITLEAKS, r"[A-Za-z0-9_~.]{3}\d"),
    _form(
        "azure key",
        "AccountKey= SharedAccessKey=",
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{42,86}={1,2})",
        "https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string",
    ),
    _form(
        "discord webhook",
        "/api/webhooks/",
        r"/api/webhooks/\d{17,20}/(?P<secret>[A-Za-z0-9_-]{60,80})",
        "https://discord.com/developers/docs/resources/webhook",
    ),
    _form("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}", "https://github.com/C2SP/C2SP/blob/main/age.md"),
    _form("jwt", "eyJ", r"eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,16000}\.[A-Za-z0-9_-]{20,1400}", _RFC7519),
)  # fmt: skip

_GAP: Final = r"(?:[\s>|*#\"'+,]|\\[nr]){1,24}"
#: A private key, whole or cut off, in lines or with escaped line ends.
PRIVATE_KEY: Final = SecretFormat(
    "private key",
    ("-----BEGIN ",),
    regex(
        rf"-----BEGIN (?:[A-Z0-9]{{1,12}} ){{0,3}}PRIVATE KEY(?: BLOCK)?-----(?:{_GAP}[A-Za-z-]{{4,20}}: [^\n\\]{{0,100}}){{0,4}}{_GAP}"
        rf"(?P<secret>[A-Za-z0-9+/=]{{16,8000}}(?:{_GAP}[A-Za-z0-9+/=]{{24,8000}}){{0,400}}"
        rf"(?:{_GAP}[A-Za-z0-9+/=]{{1,120}}(?={_GAP}-----END|-----END)|{_GAP}=[A-Za-z0-9+/]{{4}})?)"
    ),
    "https://www.rfc-editor.org/rfc/rfc7468",
)
#: Discord's tokens begin with a base64 number, and have no literal part: https://discord.com/developers/docs/reference
DISCORD: Final = regex(
    r"(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_.-])"
)

#: What is assigned: after a name, in quotes or bare.
_VALUE: Final = (
    r"[\"'`]?\]?\s{0,8}(?::=|=>|=|:)\s{0,8}(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\r\n]{8,256})(?P=quote)"
    r"|(?P<bare>[^\s\"'`,;(){}\[\]<>&|]{8,256}+)(?![(\[{]))"
)


def _assigned(anchor: str, rest: str = "", lead: str = "") -> SecretFormat:
    """Return the form of a value that is assigned to a name, of which the anchor is a part."""
    pattern = regex(rf"(?i){anchor}{rest}{_VALUE}")
    return SecretFormat("secret", (anchor,), pattern, _GITLEAKS, regex(rf"(?i){lead}\Z") if lead else None)


#: Values that are secret by what stands before them. Anchors are compared without case.
ASSIGNED: Final[tuple[SecretFormat, ...]] = (
    SecretFormat(
        "password",
        ("://",),
        regex(r"://[^\s/?#:@\"'<>`]{0,100}:(?P<secret>[^\s/@\"'<>`]{4,128})@(?=[\w\[.-])"),
        "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1",
    ),
    SecretFormat(
        "password",
        ("password=", "pwd="),
        regex(r"(?i)(?:password|pwd)=(?P<secret>[^;\"'\s&]{4,128})(?=;)"),
        "https://learn.microsoft.com/dotnet/framework/data/adonet/connection-string-syntax",
    ),
    SecretFormat(
        "bearer token",
        ("bearer ",),
        regex(r"(?i)bearer {1,4}(?P<secret>[A-Za-z0-9._~+/-]{20,4000}={0,2})"),
        "https://www.rfc-editor.org/rfc/rfc6750#section-2.1",
    ),
    SecretFormat(
        "basic credentials",
        ("basic ",),
        regex(r"(?i)basic {1,4}(?P<secret>[A-Za-z0-9+/]{8,400}={0,2})"),
        "https://www.rfc-editor.org/rfc/rfc7617#section-2",
        regex(r"(?i)authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?\Z"),
    ),
    _assigned("passw", "(?:(?:or)?d|ort)"),
    _assigned("passphrase"),
    _assigned("pwd", lead=r"(?:^|[^?&])"),
    _assigned("secret", r"(?:[ _-]?(?:access[ _-]?)?key)?"),
    _assigned("token", lead=r"(?:^|[^?&])"),
    _assigned("key", lead=r"(?:api|access|auth|private|account|encryption|signing|master|license)[ _-]?"),
    _assigned("credential", "s?"),
)
#: The end of a name whose value is secret, such as `DB_PASSWORD`, as fields of metadata and JSON have it.
NAMED: Final = regex(
    r"(?i)(?:passw(?:or)?d|passwort|passphrase|pwd|secret(?:[ _-]?(?:access[ _-]?)?key)?|token|credentials?"
    r"|(?:api|access|auth|private|account|encryption|signing)[ _-]?key)\Z"
)
