/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of packages, out of the databases and the outputs of package managers.  Pure.
 */
#pragma once

#include "base/arena.h"

typedef void package_fn(void *user, struct str name, struct str version);

void package_parse_dpkg(struct str status, package_fn *fn, void *user);   /* /var/lib/dpkg/status: the installed ones */
void package_parse_apk(struct str installed, package_fn *fn, void *user); /* /lib/apk/db/installed */

/* `pip list --format=json`, `npm ls --json --depth=0`, `cargo install --list`.  The text is changed, and fn's texts are of it or the arena. */
void package_parse_pip(struct arena *arena, char *text, size_t len, package_fn *fn, void *user);
void package_parse_npm(struct arena *arena, char *text, size_t len, package_fn *fn, void *user);
void package_parse_cargo(struct str text, package_fn *fn, void *user);
