/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `agent-sandbox-server policy check|explain`.
 */
#pragma once

/* args: behind "policy".  An exit code. */
int policy_command(char **args);
