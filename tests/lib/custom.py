# SPDX-License-Identifier: Apache-2.0
"""Servers with commands of a template's author."""
import json
import pathlib
import sys

PUPPET = pathlib.Path(__file__).with_name("puppet.py")


def manifest(folder, file, **keys):
    """A manifest as JSON, which is YAML."""
    path = pathlib.Path(folder) / file
    path.write_text(json.dumps(keys, indent=1))
    return path


def puppet(folder, file="puppet.yaml", how=(), **keys):
    """The manifest of a puppet whose notes are in the folder, and which may take its time to start."""
    keys.setdefault("start_timeout", 60)
    return manifest(folder, file, worker=[sys.executable, str(PUPPET), str(folder), *how], **keys)


def client_of(server, **options):
    """A client that knows the server's own commands as it knows the catalog."""
    client = server.client(**options)
    client.ops = {**client.ops, **{op["id"]: op for op in client.call("core.describe")["ops"]}}
    return client


def run(client, name, /, **args):
    return client.rest(f"custom.{name}", **args)["result"]


def noted(folder, name):
    path = pathlib.Path(folder) / name
    return path.read_text().splitlines() if path.exists() else []
