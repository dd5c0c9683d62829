/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a keyboard (US layout) by the characters that they give.
 */
#pragma once

#include "base/str.h"

struct key {
	char name[12]; /* DOM's key: "a", "Enter" */
	char code[16]; /* DOM's code: "KeyA" */
	int number;    /* of Windows, which keyCode is */
	char text[4];  /* what it types; empty: nothing */
	bool shift;
};

/* False for what no key gives alone. */
bool key_find(char c, struct key *ret_key);
extern const struct key key_backspace;

/*
 * The length of the next thing to type: one character of a key, or all characters up to the next such
 * one, which are put in together, since some belong together.  CR LF is one.
 */
size_t key_next(struct str text);
