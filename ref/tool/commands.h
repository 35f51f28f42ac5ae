/* The subcommands. argv[0] is the subcommand's name; each returns the exit code. */
#ifndef ATTEST_COMMANDS_H
#define ATTEST_COMMANDS_H

int attest_command_demo(int argc, char **argv);
int attest_command_run(int argc, char **argv);
int attest_command_layer(int argc, char **argv);
int attest_command_check(int argc, char **argv);
int attest_command_onnx(int argc, char **argv);
int attest_command_vectors(int argc, char **argv);
int attest_command_cost(int argc, char **argv);

#endif
