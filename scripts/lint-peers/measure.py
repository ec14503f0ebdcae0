"""python3 measure.py COMMAND…: runs a command and prints cells of a table: the last line
that it prints, the seconds that it took, those of its processors, and the MB of its
memory at most."""

import resource
import subprocess
import sys
import time

begun, last = time.monotonic(), ""
with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True) as command:
    for last in command.stdout:
        pass
took = time.monotonic() - begun
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{last.strip()} | {took:.1f} | {used.ru_utime + used.ru_stime:.1f} | {used.ru_maxrss / 1000:.0f} |")
sys.exit(command.returncode)
