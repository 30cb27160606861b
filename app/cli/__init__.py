"""The command line: every command in a file, and the servers `godwit up` brings along.

Owns: the console script `godwit`, its exit statuses, the embedded PostgreSQL and Valkey,
and the processes that `up` and `worker` keep alive. Rules about anything else live in
the slices: a command parses, opens a transaction, calls a door, prints.

Words
  data folder   GODWIT_DATA or `--data`; `.data` beside the code when neither is given.
                One `up` or `services` at a time holds its lock.
  services      the embedded PostgreSQL and Valkey, children in sessions of their own, so
                that Ctrl-C reaches them from us, in order, and not from the terminal.
  child         a process we started and answer for: it ends when we end, however we end.

Promises
  C1  Exit status 0 is well, 2 is wrong use with one line that says what to do, 1 is
      anything else.
  C2  Ctrl-C and SIGTERM stop children in order (web, worker, PostgreSQL, Valkey), status 0.
  C3  After kill -9 of the parent nothing is left running, and the next start finds all data.
  C4  A second `up` on a data folder in use, or on a port in use, changes nothing and says so.

Files: program (the table of commands, errors to statuses), up, serve (web, worker),
services, migrate, accounts, switch, jobs, doctor (what it looks at: examining/), fakes, check,
proving (`test`), bench; demo (what `up --demo` fills in), asking (a transaction for a command);
postgres, valkey, identity (servers refuse root), ports, children, upkeep, signals, streams,
chromium, folder (the data folder and its lock), installation (which one a command speaks to),
environment.
"""

from app.cli.program import main

__all__ = ["main"]
