# SPDX-License-Identifier: Apache-2.0
"""Folders swapped for links as fast as the kernel does it, while every file op is called (R43); bench/race runs it for long."""
from lib.race import Race, World


def test_swapped_folders_lead_nobody_out(make_server, tmp_path):
    world = World(tmp_path)
    race = Race(make_server(base=world.root, policy={"version": 1, "paths": {"base": str(world.root), "roots": [str(world.root)]}}), world)
    race.run(calls=20000, seconds=5)
    assert race.swaps > 100 and race.allowed > 100, vars(race)
    assert race.denied > 20, "the swaps were never met: the test has shown nothing"
