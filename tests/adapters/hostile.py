"""An adapter that misbehaves in one way, chosen by its first argument; besides, it accepts every dump.

The second argument marks the processes that it starts: `sleep` for this many seconds.
"""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
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

def keep_growing(out):
    """Goes on writing, and starts before the answer."""
    file = open(out, "ab", buffering=0)
    while True:
        file.write(b"\n")


def is_running(words):
    """Whether there is a process of this command."""
    for name in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(name, "rb") as command:
                if command.read().split(b"\0")[:-1] == words:
                    return True
        except OSError:
            pass
    return False


def once(name):
    """Whether this is the first process of the run that asks."""
    try:
        os.close(os.open(f"{folder}/{name}", os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def nest(top, levels):
    """Makes folders in each other, and gives the descriptor of the last one."""
    at = os.open(top, os.O_DIRECTORY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_DIRECTORY, dir_fd=at)
        os.close(at)
        at = below
    return at


def fill(file):
    """Writes 200 MiB, however long it takes that this is seen."""
    for _ in range(200):
        os.write(file, b"x" * (1 << 20))
        time.sleep(0.001)


# Answers with one mistake.
HEAD = '{"listing":1,"roots":0}\n'
LISTINGS = {
    "list-nothing": "",
    "list-null": HEAD + '{"kind":"class","address":8,"fields":[{"name":"a","type":null}]}\n',
    "list-other-type": HEAD + '{"kind":"class","address":8,"name":7}\n',
    "list-surrogate": HEAD + '{"kind":"class","address":8,"name":"a\\ud800"}\n',
    "list-without-counts": '{"listing":1}\n{"kind":"class","address":8}\n',
    "list-negative": HEAD + '{"kind":"class","address":8,"instance_size":-5}\n',
}

folder = sys.argv[3] if len(sys.argv) > 3 else None
asked = 0
held = None
for line in sys.stdin:
    request = json.loads(line)
    number = request["id"]
    if request["op"] == "hello":
        hello = {"id": number, "protocol": 1, "name": way, "reads": ["phd", "hprof"], "what is this": []}
        if way.startswith("out-") or way == "cheats":
            hello |= {"levels": ["listing"], "facets": ["address", "kind"]}
        if way.startswith("list-"):
            hello |= {"levels": ["listing"], "facets": ["address", "kind", "roots"]}
        if way == "stops-reading":
            # More than a pipe holds, if it comes back with the next request.
            hello |= {"levels": ["digest"], "facets": ["address", "kind"] * 20_000}
        if way == "says-much":
            hello |= {"name": "n" * (10 << 20), "version": "v" * (1 << 20)}
        if way == "counts-too-much":
            hello |= {"levels": ["counts"], "counts": ["histogram"]}
        if way == "knows-no-format":
            hello["reads"] = ["HPROF"]
        say(hello)
        if way == "stops-reading":
            time.sleep(float(mark))
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
    elif way == "dies-with-a-long-trace":
        frames = "".join(f"\tat shop.P.f(P.java:{line})\n" for line in range(1000))
        os.write(2, f"java.lang.StackOverflowError\n{frames}Caused by: java.io.EOFException\n\tat shop.Q.read(Q.java:3)\n".encode())
        os._exit(1)
    elif way == "tells-its-crash":
        say({"id": number, "status": "crash", "message": f"ValueError at {os.getpid()}"})
        continue
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
    elif way == "out-device":
        os.symlink("/dev/full", request["out"])
        say(accept)
    elif way == "out-sparse":
        with open(request["out"], "wb") as out:
            out.truncate(10 << 30)
        say(accept)
    elif way == "out-grows":
        threading.Thread(target=keep_growing, args=[request["out"]], daemon=True).start()
        while not os.path.exists(request["out"]):
            time.sleep(0.001)
        say(accept)
    elif way == "out-folder-moved":
        # A foreign folder stands where that of the question was.
        asked_in = os.path.dirname(request["out"])
        os.rename(asked_in, f"{folder}/moved-{os.path.basename(asked_in)}")
        os.symlink(f"{folder}/foreign", asked_in)
        say(accept)
    elif way == "out-garbage":
        with open(request["out"], "wb") as out:
            out.write(b"\xff\xfe{")
        say(accept)
    elif way.startswith("list-"):
        with open(request["out"], "w") as out:
            out.write(LISTINGS[way])
        say(accept)
    elif way == "crashes-at-hprof" and request["format"] == "hprof":
        say({"id": number, "status": "crash", "message": f"ValueError: no record at {number}"})
    elif way == "counts-too-much":
        say(accept | {"histogram": [{"class": "A", "objects": 2**64 - 1}, {"class": "A", "objects": 2}]})
    elif way == "dies-after-its-answer":
        say(accept)
        os._exit(7)
    elif way == "kills-its-parent":
        subprocess.Popen(["sleep", mark], start_new_session=True)
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(float(mark))
    elif way == "looks-for-orphans":
        if once("killed"):
            subprocess.Popen(["sleep", mark], start_new_session=True)
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(float(mark))
        if is_running([b"sleep", mark.encode()]):
            say({"id": number, "status": "error", "message": "an orphan is left"})
        else:
            say(accept)
    elif way == "stops-its-parent":
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(float(mark))
    elif way == "shared-memory":
        # 300 MiB that no process has mapped.
        held = os.memfd_create("held")
        for _ in range(300):
            os.write(held, b"x" * (1 << 20))
        time.sleep(float(mark))
    elif way == "fills-tmpdir":
        with open(os.environ["TMPDIR"] + "/file", "wb") as file:
            for _ in range(300):
                file.write(b"x" * (1 << 20))
        time.sleep(float(mark))
    elif way == "deep-folders":
        for top in (os.environ["TMPDIR"], os.path.dirname(request["path"])):
            os.close(nest(top, 15_000))
        say(accept)
    elif way == "fills-beside":
        fill(os.open(os.path.dirname(request["path"]) + "/file", os.O_CREAT | os.O_WRONLY))
        time.sleep(float(mark))
    elif way == "fills-while-measured":
        top = os.path.dirname(request["path"])
        for at in range(90_000):
            os.close(os.open(f"{top}/{at}", os.O_CREAT | os.O_WRONLY))
        file = os.open(f"{top}/file", os.O_CREAT | os.O_WRONLY)
        for mib in range(1, 4096):
            os.write(file, b"x" * (1 << 20))
            with open(f"{folder}/mib", "a") as so_far:
                so_far.write(f"{time.process_time():.2f} {time.time():.2f} {mib}\n")
        time.sleep(float(mark))
    elif way == "fills-unlinked":
        path = os.environ["TMPDIR"] + "/file"
        file = os.open(path, os.O_CREAT | os.O_WRONLY)
        os.unlink(path)
        fill(file)
        time.sleep(float(mark))
    elif way == "fills-deep":
        fill(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=nest(os.environ["TMPDIR"], 3_000)))
        time.sleep(float(mark))
    elif way == "fills-after-its-answer":
        say(accept)
        if not sys.stdin.readline():
            fill(os.open(os.environ["TMPDIR"] + "/file", os.O_CREAT | os.O_WRONLY))
            time.sleep(float(mark))
    elif way == "makes-its-folders-again":
        for top in (os.environ["TMPDIR"], os.path.dirname(request["path"])):
            shutil.rmtree(top)
            os.mkdir(top)
            os.mkfifo(top + "/pipe")
            os.mkdir(top + "/folder")
            os.mkfifo(top + "/folder/dump")
            os.symlink(folder, top + "/folder/link")
            os.chmod(top + "/folder", 0)
        say(accept)
    elif way == "says-much":
        say({"id": number, "status": "error", "message": "m" * (10 << 20)})
    elif way == "looks-at-the-path":
        words = ("phd", "hprof", "classic", "openj9", "hotspot", "spelled", "damaged", "random", "invalid")
        name = os.path.basename(request["path"]).split(".")[0]
        if any(word in name for word in words):
            say({"id": number, "status": "error", "message": f"the path tells: {name}"})
        else:
            say(accept)
    elif way == "cheats":
        # Crashes at first, so that it is asked again; then it looks for what is right.
        if once(f"asked-{os.path.getsize(request['path'])}"):
            os.kill(os.getpid(), signal.SIGKILL)
        found = glob.glob(f"{folder}/**/expected.jsonl", recursive=True)
        found += glob.glob(os.path.dirname(os.path.dirname(request["path"])) + "/*/expected.jsonl")
        if found:
            with open(found[0], "rb") as right, open(request["out"], "wb") as out:
                out.write(right.read())
            say(accept)
        else:
            say({"id": number, "status": "error", "message": "nothing to copy"})
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
