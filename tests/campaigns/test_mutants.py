"""The list of deliberate faults follows the code."""

import re
from pathlib import Path

import pytest

from campaigns.mutants import MUTANTS, Mutant, changed


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_the_line_of_each_fault_is_there_once_and_so_is_its_test(mutant: Mutant):
    file, _, test = mutant.caught_by.partition("::")

    assert changed(mutant, Path(mutant.file).read_text()) != Path(mutant.file).read_text()
    assert re.search(rf"^(async )?def {test}\(", Path(file).read_text(), re.MULTILINE)
