"""An adapter that misbehaves in one way, chosen by its first argument; besides, it accepts every dump.

The second argument marks the processes that it starts: `sleep` for so many seconds.
"""

import json
import os
import signal
import subprocess
import sys
import time

way, mark = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "1000"


def say(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def leave_children():
    for own_session in (False, True):
        subprocess.Popen(["sleep", mark], start_new_session=own_session)
    # One whose parent is gone, and whose streams are its own.
    if os.fork() == 0:
        os.setsid()
        nowhere = os.open("/dev/null", os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.execvp("sleep", ["sleep", mark])


if way == "dies-at-start":
    sys.exit("I have had enough")
if way in ("ignores-sigterm", "never-says-hello"):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
if way == "never-says-hello":
    time.sleep(float(mark))
if way == "leaves-children":
    leave_children()

asked = 0
held = None
for line in sys.stdin:
    request = json.loads(line)
    number = request["id"]
    if request["op"] == "hello":
        hello = {"id": number, "protocol": 1, "name": way, "reads": ["phd", "hprof"], "what is this": []}
        if way.startswith("out-"):
            hello |= {"levels": ["listing"], "facets": ["address", "kind"]}
        if way == "counts-too-much":
            hello |= {"levels": ["counts"], "counts": ["histogram"]}
        if way == "knows-no-format":
            hello["reads"] = ["HPROF"]
        say(hello)
        continue
    asked += 1
    accept = {"id": number, "status": "accept"}
    if way == "garbage":
        print("7 instances of java/lang/Object", flush=True)
    elif way in ("hangs", "ignores-sigterm"):
        time.sleep(float(mark))
    elif way == "dies-at-seventh" and asked == 7:
        os.kill(os.getpid(), signal.SIGSEGV)
    elif way == "dies-always":
        os.write(2, b"panicked at src/parser.rs:7\n")
        os._exit(101)
    elif way == "dies-in-a-line":
        os.write(1, b'{"id": 2, "sta')
        os._exit(0)
    elif way == "eats-memory":
        # Slowly, and no more than it takes: however late that is seen, the machine has the rest.
        eaten = []
        for _ in range(60):
            eaten.append(b"x" * (8 << 20))
            time.sleep(0.002)
        time.sleep(float(mark))
    elif way == "a-child-eats-memory":
        subprocess.run([sys.executable, "-c", "a = [b'x' * (8 << 20) for _ in range(60)]; import time; time.sleep(1000)"])
    elif way == "out-of-order":
        # Each answer comes one request too late.
        say(held or {"id": 0, "status": "accept"})
        held = accept
    elif way == "answers-twice":
        say(accept)
        say(accept)
    elif way == "answers-twice-once" and asked == 3:
        say(accept)
        say(accept)
    elif way == "floods-stderr":
        piece = b"no end " * 150_000
        for _ in range(10 * (1 << 30) // len(piece)):
            os.write(2, piece)
        say(accept)
    elif way == "closes-stdout":
        os.close(1)
        time.sleep(float(mark))
    elif way == "long-line":
        os.write(1, b"x" * (17 << 20) + b"\n")
    elif way == "out-fifo":
        os.mkfifo(request["out"])
        say(accept)
    elif way == "out-folder":
        os.mkdir(request["out"])
        say(accept)
    elif way == "out-link":
        os.symlink("/dev/zero", request["out"])
        say(accept)
    elif way == "out-garbage":
        with open(request["out"], "wb") as out:
            out.write(b"\xff\xfe{")
        say(accept)
    elif way == "counts-too-much":
        say(accept | {"histogram": [{"class": "A", "objects": 2**64 - 1}, {"class": "A", "objects": 2}]})
    elif way == "dies-behind-its-answer":
        say(accept)
        os._exit(7)
    elif way == "kills-its-parent":
        subprocess.Popen(["sleep", mark], start_new_session=True)
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(float(mark))
    elif way == "errors":
        say({"id": number, "status": "error", "message": "my fault: " + request["path"]})
    elif way == "skips":
        say({"id": number, "status": "skip", "reason": "no time", "link": "https://example.org/7"})
    elif way == "stays":
        say(accept)
        continue
    else:
        say(accept)
if way == "stays":
    time.sleep(float(mark))
