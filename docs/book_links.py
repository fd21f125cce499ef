#!/usr/bin/env python3
"""Says which links of a book in HTML lead nowhere: book_links.py DIR, where DIR is the folder html of docs/book.sh."""
import html.parser, pathlib, sys, urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(filter(None, [attributes.get("id"), attributes.get("name")]))
        self.links += filter(None, [attributes.get("href"), attributes.get("src")])


root = pathlib.Path(sys.argv[1]).resolve()
pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.html"))}
count, broken = 0, []
for path, page in pages.items():
    # Two pages of mdbook stand for others: their links are those of the others, seen from the root.
    for link in [] if path.name in ("print.html", "404.html") else page.links:
        where = urllib.parse.urlsplit(link)
        if where.scheme or where.netloc:
            continue
        count += 1
        target = (path.parent / urllib.parse.unquote(where.path)).resolve() if where.path else path
        target = target / "index.html" if target.is_dir() else target
        if not target.exists() or where.fragment and target in pages and where.fragment not in pages[target].ids:
            broken.append(f"{path.relative_to(root)}: {link}")
print(*broken, f"{len(pages)} pages, {count} links, {len(broken)} broken", sep="\n")
sys.exit(bool(broken))
