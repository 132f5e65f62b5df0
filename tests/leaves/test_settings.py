"""Where settings come from, which stands above which, and what a bad config file gets."""

from pathlib import Path
from typing import Any

import pytest

from emqtop.settings import BadSettings, Secret, ServerLabel, Settings, config_path, load

FULL = """
url = "redis://config"
prefixes = ["a", "b"]
family = "bullmq"
queues = ["mail"]
read_only = true
timeout_s = 2
utc = true
first_frame = false
theme = "light"
mouse = false
ascii = true
tls_ca = "/etc/passwd"
insecure = true
sentinel_master = "m"

[keymap]
reap = "f5"

[[servers]]
match = "*prod*"
label = "PRODUCTION"
colour = "red"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "emqtop" / "config.toml"
    path.parent.mkdir()
    return path


def test_without_anything(tmp_path: Path) -> None:
    found = load({}, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert found == Settings()
    assert (found.url.reveal(), found.prefixes) == ("redis://127.0.0.1:6379", ("emq", "bull"))


def test_the_config_file(config: Path) -> None:
    config.write_text(FULL)
    found = load({}, {"XDG_CONFIG_HOME": str(config.parents[1])})
    assert found == Settings(
        url=Secret("redis://config"),
        prefixes=("a", "b"),
        family="bullmq",
        queues=("mail",),
        read_only=True,
        timeout_s=2,
        utc=True,
        first_frame=False,
        theme="light",
        mouse=False,
        ascii=True,
        tls_ca="/etc/passwd",
        insecure=True,
        sentinel_master="m",
        keymap={"reap": "f5"},
        servers=(ServerLabel("*prod*", "PRODUCTION", "red"),),
        config=config,
    )


@pytest.mark.parametrize(
    ("given", "environ", "url"),
    [
        ({"url": "redis://argument"}, {"EMQTOP_URL": "redis://environment"}, "redis://argument"),
        ({"url": None}, {"EMQTOP_URL": "redis://environment"}, "redis://environment"),
        ({}, {"EMQTOP_URL": ""}, "redis://config"),
        ({}, {}, "redis://config"),
    ],
)
def test_the_order_of_urls(config: Path, given: dict[str, Any], environ: dict[str, str], url: str) -> None:
    config.write_text(FULL)
    assert load(given, {"XDG_CONFIG_HOME": str(config.parents[1]), **environ}).url.reveal() == url


@pytest.mark.parametrize(
    ("given", "environ", "password"),
    [
        ({"password": "typed", "password_file": "file"}, {"EMQTOP_PASSWORD": "env"}, "typed"),
        ({"password_file": "file"}, {"EMQTOP_PASSWORD": "env"}, "first line"),
        ({}, {"EMQTOP_PASSWORD": "env"}, "env"),
        ({}, {}, "from config"),
    ],
)
def test_the_order_of_passwords(
    config: Path, given: dict[str, Any], environ: dict[str, str], password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(config.parent)
    Path("file").write_text("first line\nsecond\n")
    Path("other").write_text("from config")
    config.write_text('password_file = "other"\n')
    found = load(given, {"XDG_CONFIG_HOME": str(config.parents[1]), **environ})
    assert found.password == Secret(password)
    assert password not in repr(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prefxes = []", "unknown key 'prefxes'"),
        ("prefixes = 'emq'", "prefixes: wanted list"),
        ("prefixes = [1]", "prefixes: wanted a list of texts"),
        ("read_only = 1", "read_only: wanted bool"),
        ("timeout_s = true", "timeout_s: wanted int or float"),
        ("timeout_s = 0", "timeout_s: wanted more than 0 and at most 600"),
        ("family = 'celery'", "family: wanted echomq or bullmq"),
        ("keymap = {reap = 5}", 'keymap: wanted texts, such as reap = "r,f5"'),
        ("servers = ['x']", "servers: wanted tables of match, label and colour"),
        ("[[servers]]\nlabel = 'x'", "servers: wanted tables of match, label and colour"),
        ("[[servers]]\nmatch = 5", "servers: match, label and colour are texts"),
        ("password = 'S3cret'", "unknown key 'password'"),
        ("url = ", "Invalid value (at end of document)"),
        ("url = '\udcff'", "'utf-8' codec can't decode byte 0xff in position 7: invalid start byte"),
    ],
)
def test_a_bad_config_is_one_line(config: Path, text: str, said: str) -> None:
    config.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadSettings) as raised:
        load({"config": str(config)}, {})
    assert str(raised.value) == f"config {config}: {said}"


def test_a_config_that_was_asked_for_must_exist(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="No such file"):
        load({"config": str(tmp_path / "none")}, {})


@pytest.mark.parametrize(("content", "said"), [(None, "No such file or directory"), ("", "it is empty")])
def test_a_password_file_that_is_no_use(tmp_path: Path, content: str | None, said: str) -> None:
    path = tmp_path / "password"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BadSettings, match=f"password file {path}: {said}"):
        load({"password_file": str(path)}, {"HOME": str(tmp_path)})


@pytest.mark.parametrize("name", ["tls_ca", "tls_cert", "tls_key"])
def test_a_certificate_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / "none.pem")
    with pytest.raises(BadSettings, match=f"{name}: {path}: no such file"):
        load({name: path}, {"HOME": str(tmp_path)})
    Path(path).touch()
    assert getattr(load({name: path}, {"HOME": str(tmp_path)}), name) == path


@pytest.mark.parametrize(
    ("asked", "environ", "theme"),
    [
        ("light", {"TERM": "linux"}, "light"),
        (None, {"TERM": "linux"}, "sixteen"),
        (None, {"TERM": "xterm-256color"}, "dark"),
        (None, {"TERM": "xterm", "COLORTERM": "truecolor"}, "dark"),
    ],
)
def test_the_theme_fits_the_terminal_unless_one_is_asked_for(
    asked: str | None, environ: dict[str, str], theme: str
) -> None:
    assert Settings(theme=asked).theme_name(environ) == theme


def test_a_secret_shows_itself_to_nobody() -> None:
    secret = Secret("S3cret")
    assert {str(secret), repr(secret), f"{secret}", f"{secret!r:>5}"} == {"Secret(***)"}
    assert secret == Secret("S3cret")
    assert secret != Secret("other")


def test_where_the_config_lies() -> None:
    assert config_path({"HOME": "/home/ops"}) == Path("/home/ops/.config/emqtop/config.toml")
    assert config_path({"HOME": "/home/ops", "XDG_CONFIG_HOME": "/c"}) == Path("/c/emqtop/config.toml")


def test_the_first_mark_that_fits_a_server_counts() -> None:
    marks = (ServerLabel("*prod*", "PROD", "red"), ServerLabel("*", "other"))
    settings = Settings(servers=marks)
    assert settings.label_for("redis://prod-1:6379") == marks[0]
    assert settings.label_for("redis://dev:6379") == marks[1]
    assert Settings().label_for("redis://dev:6379") is None
