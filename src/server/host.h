/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host interface of call.h, as the server fills it in.
 */
#pragma once

#include "call/call.h"

extern const struct call_host server_host;
