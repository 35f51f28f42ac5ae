"""Small faults for C sources: every place in a file where one mechanical change can be made.

Only code is changed: comments (and with them contracts and ghost code), preprocessor lines and strings
are left alone. A mutation is known by what it changes, not by where it stands: file, function, the
lines before and after, and which of several equal ones it is."""
import collections
import hashlib
import re

Mutation = collections.namedtuple("Mutation", "id file function kind original mutated begin end text")

TOKEN = re.compile(r"0[xX][0-9a-fA-F.]+(?:[pP][+-]?\d+)?\w*|\d[\d.]*(?:[eE][+-]?\d+)?\w*|[A-Za-z_]\w*|"
                   r"<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S")
SWAPS = {"relation": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
         "arithmetic": {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "-=", "-=": "+=",
                        "*=": "+=", "/=": "*=", "<<": ">>", ">>": "<<", "&": "|", "|": "&"},
         "logic": {"&&": "||", "||": "&&"}}
TYPES = {"void", "char", "int", "unsigned", "float", "double", "real", "const", "restrict", "struct"}
KEYWORDS = TYPES | {"if", "else", "for", "while", "do", "return", "break", "continue", "switch", "case",
                    "default", "sizeof", "static", "inline", "enum", "typedef", "goto"}


def code_only(text):
    """The text with everything that is not code replaced by blanks, so that places stay the same."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(pattern, blank, text, flags=re.S | re.M)


def bodies(code):
    """(name, begin, end) of each function body, table and enumeration."""
    depth, start, opened = 0, 0, None
    for match in re.finditer(r"[{};]", code):
        at, mark = match.start(), match.group()
        if mark == "{":
            if depth == 0:
                opened = (code[start:at], at + 1)
            depth += 1
        elif mark == "}":
            depth -= 1
        if depth == 0:
            if mark == "}" and opened:
                name = body_name(opened[0])
                if name is not None:
                    yield name, opened[1], at
            start = at + 1


def body_name(head):
    """The name of what begins with head: a function, a table, '-' for an enumeration; None: no code."""
    function = re.search(r"(\w+)\s*\(", head)
    if function:
        macro = re.search(r"[A-Z_0-9]+\s*\(\s*(\w+)\s*\)\s*\(", head)
        return macro.group(1) if macro else function.group(1)
    table = re.search(r"(\w+)\s*(?:\[[^=]*\]\s*)*=\s*$", head)
    if table:
        return table.group(1)
    return "-" if re.search(r"\benum\b", head) else None


def matching(tokens):
    """For the index of each opening parenthesis that of the closing one."""
    pairs, stack = {}, []
    for n, token in enumerate(tokens):
        if token[0] in "([":
            stack.append(n)
        elif token[0] in ")]" and stack:
            pairs[stack.pop()] = n
    return pairs


def is_value(token):
    """Whether an operator after it has two operands."""
    return token in (")", "]") or (re.match(r"\w", token) is not None and token not in KEYWORDS)


def is_type(token, types):
    return token in TYPES or token in types or token.endswith("_t")


def places(code, begin, end, types):
    """(kind, begin, end, replacement) of every change in code[begin:end]."""
    tokens = [(m.group(), begin + m.start(), begin + m.end())
              for m in TOKEN.finditer(code[begin:end])]
    words = [t[0] for t in tokens]
    pairs = matching(tokens)
    for n, (word, a, b) in enumerate(tokens):
        before = words[n - 1] if n else ""
        for kind, swaps in SWAPS.items():
            unary = word in "+-*&" and (not is_value(before) or is_type(before, types))
            if word in swaps and not unary:
                yield kind, a, b, swaps[word]
        # A flag that is 2 instead of 1 is still set.
        flag = before in ("=", "return") and words[n + 1:n + 2] == [";"]
        yield from constants(word, a, b, flag)
        if word in ("if", "while") and words[n + 1:n + 2] == ["("] and n + 1 in pairs:
            yield "negation", tokens[n + 1][2], tokens[pairs[n + 1]][1], None
    yield from statements(code, tokens, words, pairs, types)


def constants(word, a, b, flag):
    number = re.fullmatch(r"(\d+)([uUlL]*)", word)
    if number and not (len(number.group(1)) > 1 and word[0] == "0"):
        value, suffix = int(number.group(1)), number.group(2)
        for other in ([value + 1] if value != 1 else [0] if flag else [0, 2]):
            yield "constant", a, b, "%d%s" % (other, suffix)


def statements(code, tokens, words, pairs, types):
    """Statements that can be left out: assignments, calls, jumps under a condition."""
    closing = {pairs[n + 1] for n, w in enumerate(words)
               if w in ("if", "while", "for") and n + 1 in pairs}
    depth = 0
    for n, word in enumerate(words):
        depth += (word in ("(", "[")) - (word in (")", "]"))
        first = n == 0 or words[n - 1] in (";", "{", "}", "else") or n - 1 in closing
        if depth or not first or not re.match(r"[A-Za-z_*]", word) or word in KEYWORDS - {
                "return", "break", "continue"}:
            continue
        guarded = n > 0 and (n - 1 in closing or words[n - 1] == "else")
        # A declaration begins with a type, or with two words.
        declared = is_type(word, types) or re.match(r"[A-Za-z_]", (words + [""])[n + 1])
        if (declared and word != "return") or (word == "return" and not guarded):
            continue
        stop = next((m for m in range(n, len(words)) if words[m] == ";"), None)
        if stop is not None:
            yield "dropped", tokens[n][1], tokens[stop][2], "{}"


def lines_of(text, begin, end):
    return text.rfind("\n", 0, begin) + 1, (text + "\n").find("\n", end)


def squeezed(text):
    return " ".join(text.split())


def mutations(path, text, types):
    """All mutations of one file."""
    code = code_only(text)
    seen = collections.Counter()
    for function, start, stop in bodies(code):
        for kind, begin, end, new in places(code, start, stop, types):
            if new is None:
                new = "!(%s)" % text[begin:end]
            low, high = lines_of(text, begin, end)
            original = squeezed(text[low:high])
            mutated = squeezed(text[low:begin] + new + text[end:high])
            key = "\n".join((path, function, original, mutated))
            seen[key] += 1
            name = hashlib.sha256(("%s\n%d" % (key, seen[key])).encode()).hexdigest()[:8]
            yield Mutation(name, path, function, kind, original, mutated, begin, end,
                           text[:begin] + new + text[end:])


def declared_types(texts):
    """Names that typedefs give, in all files."""
    return {name for text in texts for name in re.findall(r"}\s*(\w+);|typedef [\w ]+ (\w+);", text)
            for name in name if name}
