/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/address.h"

#include <strings.h>

static const char *const prefixes[] = { "http://", "https://", "data:" };

int address_check(struct call *call, const char *url)
{
	if (strcasecmp(url, "about:blank") == 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		if (strncasecmp(url, prefixes[i], strlen(prefixes[i])) == 0)
			return 0;
	}
	return err_set(&call->err, ERR_ARGS_INVALID,
		"'url' must begin with http:// or https:// or data:, or be about:blank; it is '%.100s'", url);
}
