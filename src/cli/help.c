/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include <string.h>

enum { NAME_COLUMN = 18, FLAG_COLUMN = 28 };

static const char exits[] =
	"exec, sh, run, code and shell end with the command's own code (128+N by signal N), 125 when abx or the\n"
	"server failed, 124 at a timeout.  All others: 0 done, 1 another error, 2 usage and args.*, 3 auth.*, 4 policy.* and\n"
	"op.not_enabled, 5 not found, 75 try again (limit.*, install.*, server.*), 124 timeout, 130 interrupted.\n";

static void print_flags(const struct flag *flags, FILE *to)
{
	for (; flags && flags->name; flags++) {
		char left[64];

		snprintf(left, sizeof left, "%s%c%s --%s%s%s", flags->letter ? "-" : " ",
			flags->letter ? flags->letter : ' ', flags->letter ? "," : " ", flags->name,
			flags->value ? " " : "", flags->value ? flags->value : "");
		fprintf(to, "  %-*s %s\n", FLAG_COLUMN, left, flags->text);
	}
}

static void print_row(const struct command *command, FILE *to)
{
	fprintf(to, "  %-*s %s\n", NAME_COLUMN, command->name, command->summary);
}

void help_all(FILE *to)
{
	fputs("abx: the command line of agent-sandbox-server\n\nusage: abx [--url URL] [--token T] [--context NAME] [--json] "
	      "[--quiet] COMMAND\n\n",
		to);
	for (size_t i = 0; commands_all[i]; i++)
		print_row(commands_all[i], to);
	fputs("\nflags of every command:\n", to);
	print_flags(commands_shared_flags, to);
	fprintf(to, "\nexit codes:\n%s\n'abx help COMMAND' says more.\n", exits);
}

bool help_group(const char *group, FILE *to)
{
	size_t len = strlen(group);
	bool found = false;

	for (size_t i = 0; commands_all[i]; i++) {
		if (strncmp(commands_all[i]->name, group, len) == 0 && commands_all[i]->name[len] == ' ') {
			if (!found)
				fprintf(to, "abx %s COMMAND:\n", group);
			print_row(commands_all[i], to);
			found = true;
		}
	}
	return found;
}

void help_command(const struct command *command)
{
	printf("abx %s: %s\n\nusage: abx %s %s%s\n", command->name, command->summary, command->name,
		command->flags ? "[FLAGS] " : "", command->usage);
	if (command->text)
		printf("\n%s", command->text);
	if (command->flags)
		puts("\nflags:");
	print_flags(command->flags, stdout);
}

/* Text for the man macros: a backslash, a dash that is typed, a dot at the beginning of a line. */
static void print_man(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '\\')
			fputs("\\e", stdout);
		else if (*p == '-')
			fputs("\\-", stdout);
		else if ((*p == '.' || *p == '\'') && (p == text || p[-1] == '\n'))
			printf("\\&%c", *p);
		else
			putchar(*p);
	}
}

static void print_man_flags(const struct flag *flags)
{
	for (; flags && flags->name; flags++) {
		fputs(".TP\n.B ", stdout);
		if (flags->letter)
			printf("\\-%c, ", flags->letter);
		fputs("\\-\\-", stdout);
		print_man(flags->name);
		printf("%s%s\n", flags->value ? " " : "", flags->value ? flags->value : "");
		print_man(flags->text);
		putchar('\n');
	}
}

static void print_man_command(const struct command *command)
{
	printf(".SS abx %s%s", command->name, command->usage[0] ? " " : "");
	print_man(command->usage);
	putchar('\n');
	print_man(command->summary);
	puts(".");
	if (command->text) {
		puts(".PP");
		print_man(command->text);
	}
	print_man_flags(command->flags);
}

void help_man(void)
{
	puts(".TH ABX 1 \"\" \"agent\\-sandbox " ABX_VERSION "\" \"User Commands\"\n"
	     ".SH NAME\nabx \\- the command line of agent\\-sandbox\\-server\n"
	     ".SH SYNOPSIS\n.B abx\n[\\-\\-url URL] [\\-\\-token T] [\\-\\-context NAME] [\\-\\-json] [\\-\\-quiet] COMMAND\n"
	     ".SH OPTIONS");
	print_man_flags(commands_shared_flags);
	puts(".SH COMMANDS");
	for (size_t i = 0; commands_all[i]; i++)
		print_man_command(commands_all[i]);
	puts(".SH EXIT STATUS");
	print_man(exits);
	puts(".SH FILES\n.TP\n.I ~/.config/abx/config.yaml\nThe contexts; mode 0600.\n.SH SEE ALSO\n.BR agent\\-sandbox\\-server (8)");
}
