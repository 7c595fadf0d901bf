"""Refusals of files, with a sentence for people and a code for programs."""

from django.utils.translation import gettext as _


class FileRefused(Exception):
    """A file that is not kept. `status` is that of HTTP, `detail` says what to do."""

    status, code = 422, "file_refused"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class FileNotExpected(FileRefused):
    """Nothing asks for a file now."""

    status, code = 409, "file_not_expected"

    def __init__(self) -> None:
        super().__init__(_("Nothing asks for a file just now, so it was not kept."))


class TooManyFiles(FileRefused):
    """More files than the slot or the conversation takes."""

    status, code = 422, "too_many_files"

    def __init__(self, limit: int) -> None:
        super().__init__(_("At most %s files can be sent here.") % limit)


class FileInfected(FileRefused):
    """The scanner refused the content."""

    status, code = 422, "file_infected"

    def __init__(self, name: str) -> None:
        super().__init__(_("“%s” was refused by the virus scanner and was not kept.") % name)


class FileUnscanned(FileRefused):
    """The scanner did not answer, so the content is not accepted."""

    status, code = 503, "file_unscanned"

    def __init__(self, name: str) -> None:
        super().__init__(_("“%s” could not be checked for viruses just now. Please send it again later.") % name)
