/* attest: the command. Each subcommand has a file of its own. */

#include "cli.h"
#include "commands.h"
#include "output.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static const char version[] = "attest 0.1.0\n";

static const struct {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"demo", "attention on six tokens: what each step is for, all engines", attest_command_demo},
    {"run", "attention from array files", attest_command_run},
    {"check", "another implementation's output, judged", attest_command_check},
    {"onnx", "golden outputs of ONNX Attention tests, judged", attest_command_onnx},
    {"vectors", "golden vectors with hashes, from a seed", attest_command_vectors},
    {"layer", "a layer with its projections, one or more heads", attest_command_layer},
    {"cost", "time and memory against the length, textbook and tiled", attest_command_cost},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int help(void) {
  printf("usage: attest COMMAND [options]\n\n"
         "A reference for attention. Commands:\n\n");
  for (size_t i = 0; i < COMMANDS; i++)
    printf("  %-8s%s\n", commands[i].name, commands[i].summary);
  printf("\n'attest COMMAND --help' lists the options of a command; 'attest --version' prints\n"
         "the version. Exit codes: 0 done, 1 a check failed, 2 bad usage or input,\n"
         "3 undecided or ill-conditioned.\n");
  return attest_finish_stdout("help", ATTEST_EXIT_DONE);
}

static int usage_error(const char *format, const char *what) {
  attest_fault fault;

  ATTEST_FAIL(&fault, format, what);
  fprintf(stderr, "attest: %s\n", fault.text);
  return ATTEST_EXIT_INPUT;
}

int main(int argc, char **argv) {
  /* Only the character set: a decimal comma would change how numbers are read and printed. */
  setlocale(LC_CTYPE, "");
  if (attest_output_cleanup_install() != 0)
    return usage_error("%s", "the system refuses signal handlers");
  if (argc < 2)
    return usage_error("%s", "a command is missing (attest --help)");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0)
    return help();
  if (strcmp(argv[1], "--version") == 0) {
    fputs(version, stdout);
    return attest_finish_stdout("version", ATTEST_EXIT_DONE);
  }
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(argv[1], commands[i].name) == 0)
      return commands[i].run(argc - 1, argv + 1);
  return usage_error(argv[1][0] == '-' ? "unknown option '%s' (attest --help)"
                                       : "unknown command '%s' (attest --help)",
                     argv[1]);
}
