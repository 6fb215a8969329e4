# SPDX-License-Identifier: Apache-2.0
"""The repository speaks of the project alone: no machine's paths, no addresses but the public ones it means to name."""

from __future__ import annotations

import re

from tests.house.tree import files, relative, text

LINKS = {
    "arxiv.org",
    "docs.python.org",
    "github.com",
    "keepachangelog.com",
    "opentelemetry.io",
    "prometheus.io",
    "protobuf.dev",
    "semver.org",
    "spdx.org",
    "www.apache.org",
}
"""Hosts that text and code may name."""

HERE = {"127.0.0.1", "localhost", "[::1]", "0.0.0.0"}
EXAMPLES = re.compile(r"(?:^|\.)(?:example(?:\.com|\.org|\.net)?|test|invalid|internal|local)$|^[a-z-]+$")
ADDRESS = re.compile(r"\b(?:https?|wss?|ftp|git|ssh)://(?:[^\s/@\"'`<>]+@)?(\[[0-9a-f:]+\]|[A-Za-z0-9.-]+)")
PATH = re.compile(r"(?<![\w.~$}/-])/(?:root|work|opt|mnt|srv|home/(?!user|you|me)\w+|Users/(?!you|me)\w+)/")


def test_every_address_is_public_or_an_example() -> None:
    ours = [path for path in files() if "captures" not in path.parts]  # recordings quote the libraries they record
    named = {(relative(path), host) for path in ours for host in ADDRESS.findall(text(path))}
    strange = {(path, host) for path, host in named if host not in LINKS | HERE and not EXAMPLES.search(host)}
    assert strange == set()


def test_no_file_knows_a_machines_folders() -> None:
    found = {relative(path): match.group() for path in files() if (match := PATH.search(text(path)))}
    assert found == {}


def test_the_words_are_found_where_they_stand() -> None:
    assert ADDRESS.findall("see https:" + "//user:pw@index.somewhere.io/simple") == ["index.somewhere.io"]
    assert PATH.search('open("/' + 'root/x")')
    assert not PATH.search("GET /metrics and ~/work/x and $HOME/opt/x")
