"""The README says what the dashboard's keys do."""

from tests.ui.readme import README, key_table, section


def test_the_key_table_is_the_command_table() -> None:
    assert section() == key_table()


def test_it_stays_a_page() -> None:
    assert 60 <= len(README.read_text("utf-8").splitlines()) <= 80
