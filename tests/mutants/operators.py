"""The changes that mutants.py makes to a decoder, one at a time: a list that was fixed before the first score.

Each operator is a generator over the nodes of a syntax tree. It yields what stands in a node's place, with a word for what
was done. Where the tree says only what a message tells, or what another reading than the default does, nothing is changed
(`LEFT_OUT`).
"""
import ast
import copy

# Functions and names whose code is not asked for: readings other than the default, messages, the answer to hello, and
# what only a request's spelling needs.
LEFT_OUT = {
    "read_otherwise", "other_hash", "other_array", "one_of_each", "is_class", "serve", "answer", "refuse", "HELLO",
    "READINGS", "Refusal", "Skip", "__doc__"}
ENCODINGS = {"big": "little", "utf-8": "latin-1", "latin-1": "utf-8", "cp037": "cp500", "surrogatepass": "replace",
             "utf-16": "utf-16-le"}
CUTS = (7, 8, 15, 16, 31, 32, 63)
TEXT_CUTS = (63, 127, 255, 4095, 32767)
LIST_CUTS = (15, 63, 255, 4095, 65535)
# Names of calls whose result is a number of the dump, and of those whose result is bytes or a list of it.
NUMBERS = {"unsigned", "signed", "number", "int", "from_bytes", "at_distance", "count"}
TEXTS = {"text_of", "text_of_name", "name_of"}
LISTS = {"items"}


def comparison(node):
    swaps = {ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
             ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
             ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,)}
    if isinstance(node, ast.Compare):
        for other in swaps[type(node.ops[0])]:
            new = copy.deepcopy(node)
            new.ops[0] = other()
            yield "comparison", new


def constant(node):
    if isinstance(node, ast.Constant) and type(node.value) is int:
        for value in sorted({node.value + 1, node.value - 1, node.value * 2} - {node.value}):
            yield "constant", ast.Constant(value)


def sign(node):
    if isinstance(node, ast.keyword) and node.arg == "signed" and isinstance(node.value, ast.Constant):
        yield "sign", ast.keyword("signed", ast.Constant(not node.value.value))
    if isinstance(node, ast.Attribute) and node.attr in ("signed", "unsigned"):
        yield "sign", ast.Attribute(node.value, "unsigned" if node.attr == "signed" else "signed", node.ctx)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node.operand
    for field, name, width in layout(node):
        if width in ("-4", "4"):
            yield "sign", relaid(node, field, name, "4" if width == "-4" else "-4")


def width(node):
    others = {"1": ("2",), "2": ("1", "4"), "4": ("2", "8"), "-4": ("-2",), "8": ("4",), "id": ("4", "8")}
    for field, name, of in layout(node):
        for other in others[of]:
            yield "width", relaid(node, field, name, other)
    if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("unsigned", "signed", "number", "items") and node.args
            and isinstance(node.args[0], ast.Constant) and node.args[0].value > 1):
        new = copy.deepcopy(node)
        new.args[0] = ast.Constant(node.args[0].value // 2)
        yield "width", new


def mask(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        yield "mask", node.left
        if isinstance(node.right, ast.Constant):
            for value in {node.right.value << 1, node.right.value >> 1}:
                yield "mask", ast.BinOp(node.left, ast.BitAnd(), ast.Constant(value))
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.LShift, ast.RShift, ast.BitOr, ast.BitXor)):
        yield "mask", node.left
        yield "mask", node.right


def offset(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Mod, ast.FloorDiv)):
        yield "offset", node.left
        if isinstance(node.op, (ast.Add, ast.Sub)):
            yield "offset", ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
    if isinstance(node, ast.AugAssign):
        new = copy.deepcopy(node)
        new.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield "offset", new


def branch(node):
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        for truth in (True, False):
            if isinstance(node, ast.While) and truth:
                continue
            new = copy.deepcopy(node)
            new.test = ast.Constant(truth)
            yield "branch", new
    if isinstance(node, ast.BoolOp):
        for index in range(len(node.values)):
            rest = node.values[:index] + node.values[index + 1:]
            yield "branch", rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "branch", node.operand
    if isinstance(node, (ast.Expr, ast.AugAssign)) and not is_text(getattr(node, "value", None)):
        yield "branch", ast.Pass()
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Attribute, ast.Subscript)):
        yield "branch", ast.Pass()
    if isinstance(node, ast.comprehension) and node.ifs:
        new = copy.deepcopy(node)
        new.ifs = []
        yield "branch", new


def field(node):
    for group in ("elts", "values", "args"):
        items = getattr(node, group, None)
        if isinstance(node, (ast.Tuple, ast.List, ast.Dict, ast.Call)) and isinstance(items, list):
            if isinstance(getattr(node, "ctx", None), ast.Store):
                continue
            for index in range(len(items) - 1):
                if any(isinstance(item, ast.Starred) for item in items[index:index + 2]):
                    continue
                if ast.dump(items[index]) == ast.dump(items[index + 1]):
                    continue
                new = copy.deepcopy(node)
                swapped = getattr(new, group)
                swapped[index], swapped[index + 1] = swapped[index + 1], swapped[index]
                yield "field", new
    if isinstance(node, ast.Call) and len(node.keywords) > 1:
        for index in range(len(node.keywords) - 1):
            new = copy.deepcopy(node)
            one, two = new.keywords[index:index + 2]
            if one.arg and two.arg:
                one.value, two.value = two.value, one.value
                yield "field", new
    fields = list(layout(node))
    for (at, name, of), (other_at, other, other_of) in zip(fields, fields[1:]):
        if of == other_of and name != other:
            new = relaid(node, at, other, of)
            yield "field", relaid(new, other_at, name, of)


def slice_end(node):
    if isinstance(node, ast.Slice):
        for bound in ("lower", "upper"):
            if value := getattr(node, bound):
                for by in (ast.Add(), ast.Sub()):
                    new = copy.deepcopy(node)
                    setattr(new, bound, ast.BinOp(value, by, ast.Constant(1)))
                    yield "slice end", new


def encoding(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in ENCODINGS:
        yield "encoding", ast.Constant(ENCODINGS[node.value])


def cut(node):
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        if name in NUMBERS:
            for bits in CUTS:
                yield f"cut at 2^{bits}", ast.BinOp(node, ast.BitAnd(), ast.Constant((1 << bits) - 1))
        if name == "take" or name in LISTS:
            for length in TEXT_CUTS if name == "take" else LIST_CUTS:
                yield f"cut at {length}", ast.Subscript(node, ast.Slice(None, ast.Constant(length)), ast.Load())
        if name in TEXTS:
            for length in TEXT_CUTS:
                yield f"cut at {length}", ast.Call(
                    ast.Name("cut_text", ast.Load()), [node, ast.Constant(length)], [])
    if isinstance(node, ast.ListComp):
        for length in LIST_CUTS:
            yield f"cut at {length}", ast.Subscript(node, ast.Slice(None, ast.Constant(length)), ast.Load())
    for at, name, of in layout(node):
        bits = {"1": 8, "2": 16, "4": 32, "-4": 31, "8": 64, "id": 64}[of]
        for k in CUTS:
            if k < bits:
                yield f"cut at 2^{k}", relaid(node, at, name, f"{of}&{k}")


OPERATORS = (comparison, constant, sign, width, mask, offset, branch, field, slice_end, encoding, cut)
# Those that are wrong for large values only.
LARGE = ("cut", "sign")


def layout(node):
    """The fields of a text that is a layout of hprof.py: place, name and width."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        fields = [field.split(":") for field in node.value.split()]
        if fields and all(len(field) == 2 and field[1] in ("1", "2", "4", "8", "-4", "id") for field in fields):
            for at, (name, width) in enumerate(fields):
                yield at, name, width


def relaid(node, at, name, width):
    fields = node.value.split()
    fields[at] = f"{name}:{width}"
    return ast.Constant(" ".join(fields))


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def sites(tree):
    """Every node that may be changed, with the way that leads to it."""
    def walk(node, way):
        name = getattr(node, "name", None) or getattr(getattr(node, "func", None), "id", None)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        if name in LEFT_OUT or isinstance(node, (ast.Import, ast.ImportFrom, ast.JoinedStr)):
            return
        if isinstance(node, ast.If) and "__main__" in ast.dump(node.test):
            return
        if isinstance(node, ast.Attribute) and node.attr in LEFT_OUT or is_refusal(node):
            return
        if way:
            yield way, node
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                yield from walk(value, way + ((field, None),))
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.AST):
                        yield from walk(item, way + ((field, index),))
    yield from walk(tree, ())


def is_refusal(node):
    return isinstance(node, ast.Call) and (
        getattr(node.func, "id", None) in LEFT_OUT or getattr(node.func, "attr", None) in LEFT_OUT)


def mutants(source):
    """All mutants of a source: the line, what was done, what stood there and what stands there now, and the new source."""
    tree = ast.parse(source)
    seen = {ast.unparse(tree)}
    for way, node in list(sites(tree)):
        for operator in OPERATORS:
            for done, new in operator(node):
                changed = copy.deepcopy(tree)
                parent = changed
                for step, index in way[:-1]:
                    parent = getattr(parent, step) if index is None else getattr(parent, step)[index]
                step, index = way[-1]
                if index is None:
                    setattr(parent, step, copy.deepcopy(new))
                else:
                    getattr(parent, step)[index] = copy.deepcopy(new)
                try:
                    text = ast.unparse(ast.fix_missing_locations(changed))
                    compile(text, "mutant", "exec")
                except (SyntaxError, ValueError, TypeError, AttributeError):
                    continue
                if text not in seen:
                    seen.add(text)
                    yield getattr(node, "lineno", None), done, short(node), short(new), text


def short(node):
    text = " ".join(ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split())
    return text if len(text) <= 100 else text[:97] + "..."
