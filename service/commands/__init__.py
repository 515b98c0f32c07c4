"""Commands of the shell: each module has `configure(parser, command)` and `run(command, options)`."""
