/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subcommands that print what the binary is made of.
 */
#pragma once

/* args: behind "describe".  An exit code. */
int describe_main(char **args);
