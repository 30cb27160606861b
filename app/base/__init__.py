"""The ground every slice stands on.

Owns: settings (read once, refuse to start with every problem listed), the database
(the only module that commits), tenancy (which account a transaction may see), SQL
statements kept in files, the clock, ids, tokens, addresses, fields, errors, telemetry.

Words: a *transaction* (`Tx`) is opened by the edge (a request, a job step, a command)
and passed down as the first argument. A *role* is what a process may do in Postgres.

Promises kept here: T1 (without an account, no rows) by `database.Database`, together
with the policies in migrations/. No network call happens while a transaction is open:
`database.in_transaction()` tells, and whoever talks to the outside asks first.

This package is entered by its modules (`app.base.database`, `app.base.ids`, …).
"""
