/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/resolv_conf.h"

#include <arpa/inet.h>
#include <strings.h>

enum { DOTS_MAX = 15, SECONDS_MAX = 30, ATTEMPTS_MAX = 5 };

/* The next word of a line; empty at its end. */
static struct str next_word(struct str *line)
{
	struct str word;

	while (line->len && strchr(" \t\r", *line->p)) {
		line->p++;
		line->len--;
	}
	word = (struct str){ line->p, 0 };
	while (word.len < line->len && word.p[word.len] && !strchr(" \t\r", word.p[word.len]))
		word.len++;
	line->p += word.len;
	line->len -= word.len;
	return word;
}

static bool parse_address(struct str text, struct dns_address *ret_address)
{
	char copy[INET6_ADDRSTRLEN];

	if (text.len == 0 || text.len >= sizeof copy)
		return false;
	memcpy(copy, text.p, text.len);
	copy[text.len] = '\0';
	*ret_address = (struct dns_address){ .is_v6 = str_has(text, ':') };
	return inet_pton(ret_address->is_v6 ? AF_INET6 : AF_INET, copy, ret_address->bytes) == 1;
}

static struct str without_comment(struct str line, const char *marks)
{
	for (size_t i = 0; i < line.len; i++) {
		if (line.p[i] == '\0' || strchr(marks, line.p[i]))
			line.len = i;
	}
	return line;
}

static void parse_number(struct str text, const char *name, unsigned most, unsigned *number)
{
	uint64_t value;

	if (!str_starts(text, name))
		return;
	text.p += strlen(name);
	text.len -= strlen(name);
	if (str_to_u64(text, &value) == 0)
		*number = (unsigned)MIN(value, most);
}

static void parse_search(struct str line, struct resolv_conf *conf)
{
	struct str word;

	conf->search_count = 0; /* the last line counts */
	while (conf->search_count < RESOLV_SEARCH_MAX && (word = next_word(&line)).len) {
		if (word.p[word.len - 1] == '.')
			word.len--;
		if (word.len)
			conf->search[conf->search_count++] = word;
	}
}

static void parse_options(struct str line, struct resolv_conf *conf)
{
	struct str word;

	while ((word = next_word(&line)).len) {
		parse_number(word, "ndots:", DOTS_MAX, &conf->dots);
		parse_number(word, "timeout:", SECONDS_MAX, &conf->seconds);
		parse_number(word, "attempts:", ATTEMPTS_MAX, &conf->attempts);
	}
}

static void parse_server(struct str line, struct resolv_conf *conf)
{
	struct dns_address address;
	struct str word = next_word(&line);

	if (conf->server_count < RESOLV_SERVERS_MAX && parse_address(word, &address))
		conf->servers[conf->server_count++] = address;
}

void resolv_conf_parse(struct str text, struct resolv_conf *ret_conf)
{
	static const struct dns_address own = { false, { 127, 0, 0, 1 } };

	*ret_conf = (struct resolv_conf){ .dots = 1, .seconds = 5, .attempts = 2 };
	while (text.len) {
		struct str line = without_comment(str_cut(&text, '\n'), "#;");
		struct str word = next_word(&line);

		if (str_is(word, "nameserver"))
			parse_server(line, ret_conf);
		else if (str_is(word, "search") || str_is(word, "domain"))
			parse_search(line, ret_conf);
		else if (str_is(word, "options"))
			parse_options(line, ret_conf);
	}
	if (ret_conf->server_count == 0)
		ret_conf->servers[ret_conf->server_count++] = own;
	ret_conf->seconds = MAX(ret_conf->seconds, 1U);
	ret_conf->attempts = MAX(ret_conf->attempts, 1U);
}

static bool names_host(struct str words, const char *name)
{
	struct str word;

	while ((word = next_word(&words)).len) {
		if (word.p[word.len - 1] == '.')
			word.len--;
		if (str_is_nocase(word, name))
			return true;
	}
	return false;
}

void hosts_find(struct str text, const char *name, struct dns_addresses *found)
{
	while (text.len && found->count < DNS_ADDRESSES_MAX) {
		struct str line = without_comment(str_cut(&text, '\n'), "#");
		struct dns_address address;

		if (parse_address(next_word(&line), &address) && names_host(line, name))
			found->all[found->count++] = address;
	}
}
