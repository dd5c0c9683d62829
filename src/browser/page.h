/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one page that the browser shows, as its events tell of it.
 *
 * page_open() makes a new page and attaches to it.  Dialogs are dismissed, downloads refused, further
 * windows closed (where a click opened one, the page itself goes there), and all of that, with what the
 * page writes to its console, is noted in console.h.  Whoever waits for something of the page sets
 * on_change and looks again whenever it is called.
 */
#pragma once

#include "browser/cdp.h"
#include "browser/network.h"

enum { PAGE_ID_SIZE = 80 };

/* When a navigation counts as done. */
enum wait_until { WAIT_LOAD, WAIT_DOM, WAIT_NETWORK_IDLE, WAIT_COMMIT };
extern const char *const wait_until_choices[];

struct page;
typedef void page_fn(struct page *page, bool ok);

/* The document that it shows. */
struct document {
	char loader[PAGE_ID_SIZE]; /* the browser's name for its loading */
	bool dom, load;
};

struct page {
	struct loop *loop;
	struct cdp *cdp;
	char target[PAGE_ID_SIZE], session[PAGE_ID_SIZE];
	struct document document;
	char response_loader[PAGE_ID_SIZE]; /* of the last answer for a main document, and */
	int64_t response_status;
	struct network network;
	bool wanted, loading; /* its main frame is to go somewhere; loads something */
	bool opening, is_open;
	bool lost;    /* it closed itself */
	bool crashed; /* its process did */
	void (*on_change)(void *user);
	void *user;
	page_fn *done;
	struct cdp_request ask;
	struct timer later;
	unsigned attempt; /* of page_recover() */
	char popup[2048]; /* where a window wants to go that a click opened */
};

/* Attaches to a new page; one that was there is closed.  done comes later. */
void page_open(struct page *page, struct loop *loop, struct cdp *cdp, page_fn *done);

/*
 * After something was given up: sees to it that the page listens again, ends a script that does not,
 * and makes a new page where that does not help.
 */
void page_recover(struct page *page, page_fn *done);

void page_forget(struct page *page); /* the browser has gone: nothing comes any more */

void page_event(struct page *page, struct str method, struct str params, struct str session, char *text);
void page_cut(struct page *page, struct str method); /* an event that was too long */

/* The status of the document's answer; -1 where there was no HTTP. */
int64_t page_status(const struct page *page);

/* Opens the params of a question to the page. */
struct json_writer *page_begin(struct page *page, const char *method);
