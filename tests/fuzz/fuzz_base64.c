/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches base64_decode(), in place and apart, and both encoders: any bytes come back, and a
 * text that is accepted is one of the few ways to write its bytes.
 */
#include "base/base64.h"

#include <stdlib.h>

enum { TEXT_MAX = 16 * 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void decodes_to(struct buf *text, struct str bytes)
{
	ssize_t len;

	if (bytes.len == 0)
		return;
	len = base64_decode(text->data, buf_str(text));
	require(len >= 0 && str_eq((struct str){ text->data, (size_t)len }, bytes));
}

static void any_bytes_come_back(struct str bytes)
{
	AUTOBUF struct buf out, url;

	buf_init(&out, TEXT_MAX);
	buf_init(&url, TEXT_MAX);
	base64_encode(&out, bytes);
	base64url_encode(&url, bytes);
	require(out.len == base64_encoded_len(bytes.len) && url.len <= out.len && out.len - url.len <= 2);
	decodes_to(&out, bytes);
	decodes_to(&url, bytes);
}

/* The accepted text is the encoding but for the alphabet and the padding. */
static void accepted_texts_are_unique(struct str text)
{
	AUTOFREE char *bytes = malloc(text.len + 1);
	AUTOBUF struct buf url;
	ssize_t len = base64_decode(bytes, text);

	buf_init(&url, TEXT_MAX);
	if (len < 0)
		return;
	require((size_t)len <= text.len);
	base64url_encode(&url, (struct str){ bytes, (size_t)len });
	require(url.len <= text.len && text.len - url.len <= 2);
	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i] == '+' ? '-' : text.p[i] == '/' ? '_' : text.p[i];

		require(i < url.len ? c == url.data[i] : c == '=');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOFREE char *copy = malloc(size + !size);

	if (size)
		memcpy(copy, data, size);
	any_bytes_come_back((struct str){ copy, size });
	accepted_texts_are_unique((struct str){ copy, size });
	return 0;
}
