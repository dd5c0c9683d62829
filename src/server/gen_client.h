/* SPDX-License-Identifier: Apache-2.0 */
/* `agent-sandbox-server gen-client --lang LANG [-o FILE]`: sources and documents made from the catalog. */
#pragma once

int gen_client_main(char **args); /* the words behind "gen-client"; returns the exit code */
