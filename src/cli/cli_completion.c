/* SPDX-License-Identifier: Apache-2.0 */
/* abx completion: a script for the shell, made from the table of commands. */
#include "cli/commands.h"

#include <string.h>

static void print_flag_names(const struct flag *flags)
{
	for (; flags && flags->name; flags++)
		printf(" --%s", flags->name);
}

static bool is_first_of_word(size_t at)
{
	const char *name = commands_all[at]->name, *blank = strchr(name, ' ');
	size_t len = blank ? (size_t)(blank - name) : strlen(name);

	return at == 0 || strncmp(commands_all[at - 1]->name, name, len) != 0 || commands_all[at - 1]->name[len] != ' ';
}

static void print_first_words(void)
{
	for (size_t i = 0; commands_all[i]; i++) {
		const char *name = commands_all[i]->name;

		if (!strchr(name, ' ') || is_first_of_word(i))
			printf(" %.*s", (int)strcspn(name, " "), name);
	}
}

/* One case of a shell's case statement for each command and each group. */
static void print_cases(void)
{
	for (size_t i = 0; commands_all[i]; i++) {
		const struct command *command = commands_all[i];
		const char *blank = strchr(command->name, ' ');

		if (blank && is_first_of_word(i)) {
			printf("\t'%.*s ') words='", (int)(blank - command->name), command->name);
			for (size_t j = i; commands_all[j] && (j == i || !is_first_of_word(j)); j++)
				printf("%s%s", j == i ? "" : " ", strchr(commands_all[j]->name, ' ') + 1);
			puts("' ;;");
		}
		printf("\t'%s'%s) words='", command->name, blank ? "" : "' '*");
		print_flag_names(command->flags);
		print_flag_names(commands_shared_flags);
		puts("' ;;");
	}
}

static void print_bash(void)
{
	puts("_abx() {\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} words= first= second= at\n"
	     "\tfor ((at = 1; at < COMP_CWORD; at++)); do\n"
	     "\t\tcase ${COMP_WORDS[at]} in\n"
	     /* What readline cuts an address into: http : //127.0.0.1 : 9000, with = in front of it or not. */
	     "\t\t--url|--token|--context)\n"
	     "\t\t\t[[ ${COMP_WORDS[at+1]} == = ]] && ((at++))\n"
	     "\t\t\t((at++))\n"
	     "\t\t\twhile [[ ${COMP_WORDS[at+1]} == [:=]* ]]; do ((at += 2)); done ;;\n"
	     "\t\t-*) ;;\n"
	     "\t\t*) if [ -z \"$first\" ]; then first=${COMP_WORDS[at]}; elif [ -z \"$second\" ]; then second=${COMP_WORDS[at]}; fi ;;\n"
	     "\t\tesac\n"
	     "\tdone\n"
	     "\tcase \"$first $second\" in");
	fputs("\t' ') words='", stdout);
	print_first_words();
	print_flag_names(commands_shared_flags);
	puts("' ;;");
	print_cases();
	puts("\tesac\n"
	     "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	     "\t[[ $cur == -* || -z $second$first ]] || COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
	     "}");
}

static void print_fish_flags(const char *condition, const struct flag *flags)
{
	for (; flags && flags->name; flags++) {
		printf("complete -c abx%s -l %s%s", condition, flags->name, flags->value ? " -r" : "");
		if (flags->letter)
			printf(" -s %c", flags->letter);
		fputs(" -d '", stdout);
		for (const char *p = flags->text; *p; p++)
			printf(*p == '\'' ? "\\%c" : "%c", *p);
		puts("'");
	}
}

static void print_fish(void)
{
	print_fish_flags("", commands_shared_flags);
	for (size_t i = 0; commands_all[i]; i++) {
		const char *name = commands_all[i]->name, *blank = strchr(name, ' ');
		char condition[128];

		if (!blank) {
			printf("complete -c abx -n __fish_use_subcommand -f -a %s -d \"%s\"\n", name,
				commands_all[i]->summary);
			snprintf(condition, sizeof condition, " -n '__fish_seen_subcommand_from %s'", name);
			print_fish_flags(condition, commands_all[i]->flags);
			continue;
		}
		if (is_first_of_word(i))
			printf("complete -c abx -n __fish_use_subcommand -f -a %.*s\n", (int)(blank - name), name);
		printf("complete -c abx -n '__fish_seen_subcommand_from %.*s' -f -a %s -d \"%s\"\n",
			(int)(blank - name), name, blank + 1, commands_all[i]->summary);
		snprintf(condition, sizeof condition,
			" -n '__fish_seen_subcommand_from %.*s; and __fish_seen_subcommand_from %s'",
			(int)(blank - name), name, blank + 1);
		print_fish_flags(condition, commands_all[i]->flags);
	}
}

static int completion(struct cli *cli, struct args *args)
{
	const char *shell = args->words[0];

	if (strcmp(shell, "bash") == 0) {
		print_bash();
		puts("complete -F _abx abx");
	} else if (strcmp(shell, "zsh") == 0) {
		puts("autoload -U +X bashcompinit && bashcompinit");
		print_bash();
		puts("complete -F _abx abx");
	} else if (strcmp(shell, "fish") == 0) {
		print_fish();
	} else {
		return problem_set(&cli->problem, EXIT_USAGE, "'%s': bash, zsh or fish is needed", shell);
	}
	return EXIT_OK;
}

const struct command cli_completion = {
	.name = "completion",
	.usage = "bash|zsh|fish",
	.summary = "print a completion script for a shell",
	.text = "For bash: source <(abx completion bash)\n",
	.least = 1,
	.most = 1,
	.run = completion,
};
