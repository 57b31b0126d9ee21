# viewer.py - jackdaw-top on a terminal of its own:
#     viewer.py stop TOP JOB   it is stopped, goes on, and ends by its key; the terminal is as it was each time
#     viewer.py end TOP JOB    it ends by itself, and says that the job has ended
import os
import pty
import signal
import sys
import termios


def read_until(seen, text, times):
    while seen.count(text) < times:
        seen += os.read(fd, 4096)
    return seen


def waits_for_lines():
    return bool(termios.tcgetattr(fd)[3] & termios.ICANON)


way, top = sys.argv[1:3]
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "vt100"
    os.execv(top, sys.argv[2:])
seen = read_until(b"", b", job ", 1)
if way == "end":
    seen = read_until(seen, b"the job has ended", 1)
    right = seen.count(b"\033[?1049l") == 1
else:
    right = not waits_for_lines()
    os.kill(pid, signal.SIGTSTP)
    seen = read_until(seen, b"\033[?1049l", 1)
    _, status = os.waitpid(pid, os.WUNTRACED)
    right = right and os.WIFSTOPPED(status) and waits_for_lines()
    os.kill(pid, signal.SIGCONT)
    seen = read_until(seen, b"\033[?1049h", 2)
    os.write(fd, b"q")
    seen = read_until(seen, b"\033[?1049l", 2)
_, status = os.waitpid(pid, 0)
print(right, status)
sys.exit(not (right and status == 0))
