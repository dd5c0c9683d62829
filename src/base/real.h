/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real numbers to text and back, whatever the locale of the process is.
 */
#pragma once

#include "base/str.h"

enum { REAL_TEXT_SIZE = 32 };

/* The value of a number in JSON's grammar, terminated; infinite when it is too large. */
double real_parse(const char *text);

/* The fewest digits that read back the same, for a finite value; returns the length. */
size_t real_text(double value, char text[static REAL_TEXT_SIZE]);
