"""Commands of the shell: `configure` and `run` of a module, or `configure_COMMAND` and `run_COMMAND`."""
