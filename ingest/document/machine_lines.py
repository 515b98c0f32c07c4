"""Machine lines: logs and code. They decide and promise nothing, whatever words they use."""

import re
from typing import Final

#: A time as logs begin with it, then a level in capitals; and a line of syslog, which has host and process instead.
_STAMP: Final = r"\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)[^ \n]{0,20}"
_LOG: Final = re.compile(
    rf"[ \t]*{_STAMP}.{{0,80}}?\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\b"
    r"|[ \t]*[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,80} [\w./-]{1,60}(?:\[\d{1,10}\])?:"
)
#: What begins a line of code and no sentence, or ends one.
_CODE: Final = re.compile(
    r"[ \t]*(?:"
    r"(?:async )?def \w|class \w{1,80}[(:]|import [\w.]{1,80}$|from [\w.]{1,80} import|"
    r"raise \w{1,80}\(|#include|//|/\*|"
    r"return [^.\n]{0,80}(?:[({\[\"']|\w\.\w)|assert .{0,100}(?:==|\w\.\w|[(\[])|[\w.]{1,80}\(.{0,300}\)$|"
    r"(?:const|let|var) [\w{\[][^=\n]{0,60}=|"
    r"(?:public|private|static|func|fn|function|export) [\w<>\[\], .*&]{0,100}\w\(|"
    r"</?[a-z][\w-]{0,30}(?: [^<>\n]{0,200})?>|"
    r"(?:else|try|finally):$|"
    r"(?:if|elif|for|while|except|with|switch|match)\b.{0,100}(?:\w\(|[=<>\[\]]|\w\.\w|\bNone\b).{0,100}[:{]$|"
    r".{0,300}(?:[{}]|\);|\w = .{0,200};)$)"
)


def is_machine_made(text: str) -> bool:
    """Whether most lines of a text are those of a log or of code. Time grows with the text's length."""
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    made = sum(_LOG.match(line) is not None or _CODE.match(line) is not None for line in lines)
    return 2 * made > len(lines)
