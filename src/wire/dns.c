/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/dns.h"

#include <errno.h>

enum {
	HEADER_LEN = 12,
	QUESTION_TAIL_LEN = 4, /* type and class */
	RECORD_TAIL_LEN = 10,  /* type, class, time to live, length */
	NAME_MAX_LEN = 255,    /* as sent, with its final zero */
	LABEL_MAX = 63,
	POINTER = 0xc0,
	ALIASES_MAX = 8,
	CLASS_IN = 1,
	TYPE_CNAME = 5,
};

enum { FLAG_ANSWER = 0x8000, FLAG_OPCODE = 0x7800, FLAG_CUT = 0x0200, FLAG_RECURSE = 0x0100, FLAG_CODE = 0x000f };
enum { CODE_NO_NAME = 3 };

/* A name as it is sent, labels with their lengths, without pointers, in lower case. */
struct dns_name {
	unsigned char bytes[NAME_MAX_LEN];
	size_t len;
};

struct record {
	struct dns_name owner;
	unsigned type, class;
	uint32_t ttl;
	size_t at, len; /* of its data */
};

static unsigned get16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void put16(unsigned char *p, unsigned value)
{
	p[0] = (unsigned char)(value >> 8);
	p[1] = (unsigned char)value;
}

static unsigned char lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c | 32 : c;
}

static int name_from_text(struct str text, struct dns_name *ret_name)
{
	ret_name->len = 0;
	while (text.len) {
		struct str label = str_cut(&text, '.');

		if (label.len == 0 || label.len > LABEL_MAX || ret_name->len + label.len + 2 > NAME_MAX_LEN)
			return -EINVAL;
		ret_name->bytes[ret_name->len++] = (unsigned char)label.len;
		for (size_t i = 0; i < label.len; i++)
			ret_name->bytes[ret_name->len++] = lower((unsigned char)label.p[i]);
	}
	ret_name->bytes[ret_name->len] = 0;
	return ret_name->len++ ? 0 : -EINVAL;
}

ssize_t dns_query(unsigned char to[static DNS_QUERY_MAX], uint16_t id, struct str name, unsigned type)
{
	struct dns_name sent;
	unsigned char *tail;

	if (name_from_text(name, &sent) < 0)
		return -EINVAL;
	memset(to, 0, HEADER_LEN);
	put16(to, id);
	put16(to + 2, FLAG_RECURSE);
	put16(to + 4, 1);
	memcpy(to + HEADER_LEN, sent.bytes, sent.len);
	tail = to + HEADER_LEN + sent.len;
	put16(tail, type);
	put16(tail + 2, CLASS_IN);
	return (ssize_t)(HEADER_LEN + sent.len + QUESTION_TAIL_LEN);
}

/* Adds the label at `at`, whose length is not zero; -EBADMSG when it leaves the message or the name. */
static int add_label(struct str message, size_t at, struct dns_name *name)
{
	const unsigned char *p = (const unsigned char *)message.p;
	size_t len = p[at];

	if (len > LABEL_MAX || at + 1 + len > message.len || name->len + len + 2 > NAME_MAX_LEN)
		return -EBADMSG;
	name->bytes[name->len++] = (unsigned char)len;
	for (size_t i = 0; i < len; i++)
		name->bytes[name->len++] = lower(p[at + 1 + i]);
	return 0;
}

/* Moves *at behind the name.  A pointer must lead further to the front each time, so it ends. */
static int read_name(struct str message, size_t *at, struct dns_name *ret_name)
{
	const unsigned char *p = (const unsigned char *)message.p;
	size_t from = *at, lowest = *at;
	bool jumped = false;

	ret_name->len = 0;
	while (from < message.len && p[from] != 0) {
		if (p[from] < POINTER) {
			if (add_label(message, from, ret_name) < 0)
				return -EBADMSG;
			from += 1 + (size_t)p[from];
			continue;
		}
		if (from + 2 > message.len)
			return -EBADMSG;
		if (!jumped)
			*at = from + 2;
		jumped = true;
		from = get16(p + from) & 0x3fff;
		if (from < HEADER_LEN || from >= lowest)
			return -EBADMSG;
		lowest = from;
	}
	if (from >= message.len)
		return -EBADMSG;
	if (!jumped)
		*at = from + 1;
	ret_name->bytes[ret_name->len++] = 0;
	return 0;
}

static int read_record(struct str message, size_t *at, struct record *ret_record)
{
	const unsigned char *p;

	if (read_name(message, at, &ret_record->owner) < 0 || message.len - *at < RECORD_TAIL_LEN)
		return -EBADMSG;
	p = (const unsigned char *)message.p + *at;
	ret_record->type = get16(p);
	ret_record->class = get16(p + 2);
	ret_record->ttl = get16(p + 4) << 16 | get16(p + 6);
	ret_record->len = get16(p + 8);
	ret_record->at = *at + RECORD_TAIL_LEN;
	if (ret_record->len > message.len - ret_record->at)
		return -EBADMSG;
	*at = ret_record->at + ret_record->len;
	return 0;
}

static bool is_name(const struct dns_name *a, const struct dns_name *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

static void add_address(struct str message, const struct record *record, struct dns_addresses *found)
{
	bool is_v6 = record->type == DNS_AAAA;
	struct dns_address *one = &found->all[found->count];

	/* The highest bit says that the time is to be taken for none (RFC 2181, 8). */
	found->ttl = MIN(found->ttl, record->ttl > INT32_MAX ? 0 : record->ttl);
	if (found->count == DNS_ADDRESSES_MAX || record->len != (is_v6 ? 16 : 4))
		return;
	*one = (struct dns_address){ .is_v6 = is_v6 };
	memcpy(one->bytes, message.p + record->at, record->len);
	found->count++;
}

/*
 * One walk over the answers for those of *name.  1 when it is an alias, and *name what it stands
 * for; 0 when what there is has been added.
 */
static int walk(struct str message, size_t at, unsigned count, unsigned type, struct dns_name *name,
	struct dns_addresses *found)
{
	struct record record;

	while (count--) {
		if (read_record(message, &at, &record) < 0)
			return -EBADMSG;
		if (record.class != CLASS_IN || !is_name(&record.owner, name))
			continue;
		if (record.type == type) {
			add_address(message, &record, found);
		} else if (record.type == TYPE_CNAME) {
			found->ttl = MIN(found->ttl, record.ttl > INT32_MAX ? 0 : record.ttl);
			return read_name(message, &(size_t){ record.at }, name) < 0 ? -EBADMSG : 1;
		}
	}
	return 0;
}

/* Moves *at behind the question, which must be ours. */
static int check_question(struct str message, uint16_t id, const struct dns_name *name, unsigned type, size_t *ret_at)
{
	const unsigned char *p = (const unsigned char *)message.p;
	struct dns_name asked;
	size_t at = HEADER_LEN;
	unsigned flags;

	if (message.len < HEADER_LEN)
		return -EBADMSG;
	flags = get16(p + 2);
	if (get16(p) != id || !(flags & FLAG_ANSWER) || (flags & FLAG_OPCODE) || get16(p + 4) != 1)
		return -EBADMSG;
	if (read_name(message, &at, &asked) < 0 || !is_name(&asked, name) || message.len - at < QUESTION_TAIL_LEN ||
		get16(p + at) != type || get16(p + at + 2) != CLASS_IN)
		return -EBADMSG;
	*ret_at = at + QUESTION_TAIL_LEN;
	return 0;
}

int dns_answer(struct str message, uint16_t id, struct str text, unsigned type, struct dns_addresses *found)
{
	const unsigned char *p = (const unsigned char *)message.p;
	struct dns_addresses all = *found;
	struct dns_name name;
	size_t at;
	int r = 1;

	if (name_from_text(text, &name) < 0 || check_question(message, id, &name, type, &at) < 0)
		return -EBADMSG;
	if (get16(p + 2) & FLAG_CUT)
		return -EMSGSIZE;
	if ((get16(p + 2) & FLAG_CODE) == CODE_NO_NAME)
		return -ENOENT;
	if (get16(p + 2) & FLAG_CODE)
		return -EAGAIN;
	for (unsigned aliases = 0; r == 1 && aliases <= ALIASES_MAX; aliases++)
		r = walk(message, at, get16(p + 6), type, &name, &all);
	if (r == 0)
		*found = all;
	return r == 0 ? 0 : -EBADMSG;
}
