/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/keys.h"

#include <stdio.h>

const struct key key_backspace = { "Backspace", "Backspace", 8, "", false };

/* Each with what it gives alone and with the shift key. */
static const struct {
	char plain, shifted;
	const char *code;
	int number;
} signs[] = {
	{ ' ', ' ', "Space", 32 },
	{ '1', '!', "Digit1", 49 },
	{ '2', '@', "Digit2", 50 },
	{ '3', '#', "Digit3", 51 },
	{ '4', '$', "Digit4", 52 },
	{ '5', '%', "Digit5", 53 },
	{ '6', '^', "Digit6", 54 },
	{ '7', '&', "Digit7", 55 },
	{ '8', '*', "Digit8", 56 },
	{ '9', '(', "Digit9", 57 },
	{ '0', ')', "Digit0", 48 },
	{ ';', ':', "Semicolon", 186 },
	{ '=', '+', "Equal", 187 },
	{ ',', '<', "Comma", 188 },
	{ '-', '_', "Minus", 189 },
	{ '.', '>', "Period", 190 },
	{ '/', '?', "Slash", 191 },
	{ '`', '~', "Backquote", 192 },
	{ '[', '{', "BracketLeft", 219 },
	{ '\\', '|', "Backslash", 220 },
	{ ']', '}', "BracketRight", 221 },
	{ '\'', '"', "Quote", 222 },
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool key_find(char c, struct key *ret_key)
{
	*ret_key = (struct key){ .name = { c }, .text = { c } };
	if (c == '\n' || c == '\r') {
		*ret_key = (struct key){ "Enter", "Enter", 13, "\r", false };
		return true;
	}
	if (c == '\t') {
		*ret_key = (struct key){ "Tab", "Tab", 9, "", false };
		return true;
	}
	if (is_letter(c)) {
		ret_key->shift = c <= 'Z';
		ret_key->number = c & ~0x20;
		snprintf(ret_key->code, sizeof ret_key->code, "Key%c", ret_key->number);
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if (c != signs[i].plain && c != signs[i].shifted)
			continue;
		ret_key->shift = c != signs[i].plain;
		ret_key->number = signs[i].number;
		snprintf(ret_key->code, sizeof ret_key->code, "%s", signs[i].code);
		return true;
	}
	return false;
}

size_t key_next(struct str text)
{
	struct key ignored;
	size_t len = 0;

	if (text.len > 1 && text.p[0] == '\r' && text.p[1] == '\n')
		return 2;
	if (text.len && key_find(*text.p, &ignored))
		return 1;
	while (len < text.len && !key_find(text.p[len], &ignored))
		len++;
	return len;
}
