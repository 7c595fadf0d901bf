"""The hook for a virus scanner: a function of the project that looks at each file before it is stored."""

import asyncio
import inspect
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as ScanTimeout
from functools import cache
from typing import Any, BinaryIO

from django.utils.module_loading import import_string

from dialogue.conf import soni
from dialogue.turns.files.refusals import FileInfected, FileUnscanned

log = logging.getLogger(__name__)

SCAN_SECONDS = 20.0
"""How long the scanner is waited for."""

_scanners = ThreadPoolExecutor(max_workers=4, thread_name_prefix="scan")


def scan_file(file: BinaryIO, name: str, kind: str) -> None:
    """Let the project's scanner look at the file, if there is one. Raises FileInfected and FileUnscanned.

    The scanner `scan(file, name, kind)` may be async. It returns True for a clean file and False for another; any
    other result, an exception and a silence of `SCAN_SECONDS` mean that the file was not scanned.
    """
    if not soni.FILE_SCANNER:
        return
    try:
        # In a thread of its own, so that an async scanner has a loop and a hanging one holds no request.
        verdict = _scanners.submit(_run_scanner, file, name, kind).result(SCAN_SECONDS)
    except ScanTimeout:
        log.error("The file scanner did not answer within %s seconds", SCAN_SECONDS)
        raise FileUnscanned(name) from None
    except Exception as error:
        log.exception("The file scanner failed")
        raise FileUnscanned(name) from error
    file.seek(0)
    if verdict is False:
        raise FileInfected(name)
    if verdict is not True:
        log.error("The file scanner returned %r in place of True or False", verdict)
        raise FileUnscanned(name)


def _run_scanner(file: BinaryIO, name: str, kind: str) -> Any:
    file.seek(0)
    verdict = _scanner_named(soni.FILE_SCANNER)(file, name, kind)
    return asyncio.run(_awaited(verdict)) if inspect.isawaitable(verdict) else verdict


async def _awaited(verdict: Any) -> Any:
    return await verdict


@cache
def _scanner_named(name: str) -> Callable[[BinaryIO, str, str], Any]:
    scanner: Callable[[BinaryIO, str, str], Any] = import_string(name)
    return scanner
