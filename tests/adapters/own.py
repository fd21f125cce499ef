"""heapsmith's own adapter with a wrong answer: a digest in which a facet is another, one object too few, or what it says `of` the
dump of another path, beside what it declares (JSON). It also puts a file beside each dump, as analysers do that keep an index."""

import json
import subprocess
import sys

heapsmith, way, *words = sys.argv[1:]
adapter = subprocess.Popen([heapsmith, "adapter", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    request = json.loads(line)
    if "path" in request:
        open(request["path"] + ".index", "w").close()
        if way == "of":
            line = json.dumps({**request, "path": words[0]}) + "\n"
    adapter.stdin.write(line)
    adapter.stdin.flush()
    answer = json.loads(adapter.stdout.readline())
    if way == "of" and request["op"] == "hello":
        answer.update(json.loads(words[1]))
    if way == "counts" and isinstance(answer.get("counts"), dict):
        answer["counts"]["instances"] -= 1
    if way == "digest" and "by_facet" in answer.get("digest", {}):
        for told in [answer["digest"], answer["digest"]["by_facet"][0]]:
            told["digest"] = "0" * len(told["digest"])
    print(json.dumps(answer), flush=True)
adapter.stdin.close()
adapter.wait()
