from dialogue.nlu.text.similarity import Document, TfIdfIndex, calibrate_thresholds

DOCUMENTS = (
    Document("pay", "I want to pay my fine"),
    Document("pay", "pay an overdue charge"),
    Document("renew", "extend my loan"),
    Document("renew", "can I keep my book longer?"),
)
INDEX = TfIdfIndex(DOCUMENTS, frozenset({"i", "want", "to", "my", "an", "can"}))


def test_the_nearest_label_comes_first() -> None:
    assert [match.label for match in INDEX.matches("extending a loan")][:1] == ["renew"]


def test_an_example_is_like_itself() -> None:
    best = INDEX.matches("extend my loan")[0]

    assert best.nearest > 0.999


def test_words_that_nobody_taught_are_like_nothing() -> None:
    assert all(match.score < 0.05 for match in INDEX.matches("quantum chromodynamics"))


def test_an_example_that_is_left_out_is_not_like_itself() -> None:
    assert all(match.nearest < 0.999 for match in INDEX.leave_one_out(0))


def test_few_examples_hardly_move_the_thresholds() -> None:
    thresholds = calibrate_thresholds(INDEX)

    assert abs(thresholds.accept - INDEX.default_thresholds.accept) < 0.05
    assert abs(thresholds.ask - INDEX.default_thresholds.ask) < 0.05


def test_the_nearest_document_of_a_label_is_found() -> None:
    nearest = INDEX.nearest_document("extending a loan", "renew")

    assert nearest is not None and nearest.text == "extend my loan"
    assert INDEX.nearest_document("quantum", "renew") is None
