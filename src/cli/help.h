/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Help, from the table of commands: all of them, a group ("server"), one.
 */
#pragma once

#include "cli/commands.h"

void help_all(FILE *to);
bool help_group(const char *group, FILE *to); /* false when no command begins with that word */
void help_command(const struct command *command);
void help_man(void); /* the manual page, in the man macros */
