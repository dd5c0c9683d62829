/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a message of the browser without making a tree of it.
 *
 * A message may hold tens of megabytes in one string, be nested far deeper than what we take from
 * callers, and hold lone surrogates; of most of it nothing is wanted.  So values are found by walking
 * over the text: a span is the text of one JSON value in it.  What is malformed is absent.
 */
#pragma once

#include "base/str.h"

/* Cuts the value, with blanks before it, from the front of *rest; p NULL when there is no whole one. */
struct str span_cut(struct str *rest);

/* The value of an object's member, p NULL when it has none.  Names are compared as they are written. */
struct str span_get(struct str object, const char *key);

/* The same through several objects: "result.value". */
struct str span_at(struct str object, const char *path);

/* Starting with *rest as the array, each call cuts one element; p NULL at its end. */
struct str span_next(struct str *rest);

bool span_is(struct str value, const char *text); /* a string without escapes, or a literal */
double span_number(struct str value, double otherwise);
int64_t span_integer(struct str value, int64_t otherwise);

/*
 * Unescapes a string where it stands; text is the message that it lies in.  p NULL when it is none.
 * What stands in place of a lone surrogate is U+FFFD.  Afterwards nobody can walk over it any more, so
 * all spans that are wanted of a message are found first.
 */
struct str span_text(char *text, struct str string);

/* Puts \ufffd in place of escaped lone surrogates, so that strict readers take the value. */
void span_mend(char *text, struct str value);

unsigned span_depth(struct str value); /* of arrays and objects in each other; 0 for a plain value */
