"""The worker processes: which kinds they know, how the bell wakes them, what they repeat.

A worker runs the loops of the queues it was given (`python -m workers --queues a,b`), an
arq worker per queue for the bell, and the timers of `schedule.py` beside them (E11: what
repairs a queue does not run in it).
"""
