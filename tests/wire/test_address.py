"""Every form of URL, and that none of them ever shows its password."""

import pytest

from emqtop.settings import Secret, Settings
from emqtop.wire.address import Address, Tls, address_of, parse_address
from emqtop.wire.errors import BadAddress


@pytest.mark.parametrize(
    ("url", "wanted", "label"),
    [
        ("redis://", Address(), "redis://127.0.0.1:6379"),
        ("redis://h", Address("h"), "redis://h:6379"),
        ("valkey://h:7000/3", Address("h", 7000, db=3), "redis://h:7000/3"),
        ("redis://h?db=4", Address("h", db=4), "redis://h:6379/4"),
        ("rediss://h", Address("h", tls=True), "rediss://h:6379"),
        ("valkeys://h:1", Address("h", 1, tls=True), "rediss://h:1"),
        ("redis://[::1]:7000", Address("::1", 7000), "redis://[::1]:7000"),
        ("redis://:pw@h", Address("h", password=Secret("pw")), "redis://h:6379"),
        ("redis://u:pw@h", Address("h", username="u", password=Secret("pw")), "redis://u@h:6379"),
        ("redis://u:p%40w@h", Address("h", username="u", password=Secret("p@w")), "redis://u@h:6379"),
        ("redis://u:p@w/x?y#z@h", Address("h", username="u", password=Secret("p@w/x?y#z")), "redis://u@h:6379"),
        ("redis://h?username=u&password=pw", Address("h", username="u", password=Secret("pw")), "redis://u@h:6379"),
        ("unix:///tmp/s", Address("", 0, "/tmp/s"), "unix:///tmp/s"),
        ("unix:///tmp/s?db=2", Address("", 0, "/tmp/s", db=2), "unix:///tmp/s?db=2"),
        (
            "unix://u:p@/w@/tmp/s",
            Address("", 0, "/tmp/s", username="u", password=Secret("p@/w")),
            "unix://u@/tmp/s",
        ),
        ("unix:///tmp/a@b", Address("", 0, "/tmp/a@b"), "unix:///tmp/a@b"),
    ],
)
def test_a_url_is_taken_apart(url: str, wanted: Address, label: str) -> None:
    assert parse_address(url) == wanted
    assert parse_address(url).label == label


@pytest.mark.parametrize(
    "url",
    [
        "",
        "h:6379",
        "http://u:secret@h",
        "redis://u:secret@h:port",
        "redis://:secret@h/x",
        "unix://",
        "redis://:secret@[",
    ],
)
def test_what_is_no_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(BadAddress) as caught:
        parse_address(url)
    assert "secret" not in str(caught.value)


def test_a_password_is_in_no_text_of_an_address() -> None:
    address = parse_address("redis://u:secret@h")
    assert "secret" not in f"{address} {address!r} {address.label}"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", Tls()),
        ("?ssl_ca_certs=/ca&ssl_certfile=/c&ssl_keyfile=/k", Tls("/ca", "/c", "/k")),
        ("?insecure=1", Tls(insecure=True)),
        ("?insecure=0", Tls()),
        ("?ssl_cert_reqs=none", Tls(insecure=True)),
    ],
)
def test_certificates_stand_in_the_query(query: str, wanted: Tls) -> None:
    assert parse_address(f"rediss://h{query}").certificates == wanted


def test_settings_stand_above_the_url() -> None:
    settings = Settings(url=Secret("rediss://:old@h?ssl_ca_certs=/old"), password=Secret("new"), tls_ca=__file__)
    assert address_of(settings).password == Secret("new")
    assert address_of(settings).certificates == Tls(__file__)


@pytest.mark.parametrize("name", ["ssl_ca_certs", "ssl_certfile", "ssl_keyfile"])
def test_a_file_that_is_not_there_is_named(name: str) -> None:
    with pytest.raises(BadAddress, match=r"there is no file /nowhere/at.all$"):
        address_of(Settings(url=Secret(f"rediss://:secret@h?{name}=/nowhere/at.all")))
