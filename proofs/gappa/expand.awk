# Fills the templates of this folder with the constants of ref/exp2.h, ref/log.h, ref/tanh.h, so
# that what is proven is what is compiled. VALUES is a file of lines NAME value. Usage:
#   awk -f expand.awk -v width=32 ref/exp2.h ref/log.h ref/tanh.h VALUES TEMPLATE
# In the template
#   @NAME@             the value of  #define ATTEST_NAME value,  or of a line of VALUES
#   @horner:NAME:VAR@  the polynomial  static const real attest_NAME[..] = {..}  at VAR, evaluated
#                      in the order of the C loop; exp2_series is ATTEST_EXP2_C1, C2, ...
# An unknown name is an error. width is 32 or 64 and chooses the branch of #ifdef ATTEST_F64.

function number(text) {
  gsub(/[()]/, "", text)
  sub(/f$/, "", text)
  return text
}

function horner(name, variable,    list, n, i, expression) {
  if (name == "exp2_series") {
    for (n = 0; ("EXP2_C" (n + 1)) in value; n++) { }
    for (i = 1; i <= n; i++) list[i] = value["EXP2_C" (n + 1 - i)]
  } else {
    n = split(table[name], list, " ")
  }
  if (n < 2) fail("no polynomial " name)
  expression = list[1]
  for (i = 2; i <= n; i++) expression = "(" expression " * " variable " + " list[i] ")"
  return expression
}

function fail(message) {
  print "expand.awk: " message | "cat 1>&2"
  failed = 1
  exit 1
}

BEGIN { template = ARGV[ARGC - 1] }

FILENAME != template && FILENAME !~ /\.h$/ { value[$1] = $2; next }

FILENAME != template {
  if ($0 ~ /^#ifdef ATTEST_F64/) branch = 64
  else if ($0 ~ /^#else/ && branch == 64) branch = 32
  else if ($0 ~ /^#endif/) branch = 0
  if (branch && branch != width) next
  if ($1 == "#define" && $2 ~ /^ATTEST_/ && number($3) ~ /^-?[0-9]/) {
    value[substr($2, 8)] = number($3)
  }
  if ($0 ~ /^static const real attest_/) {
    open_table = $4
    sub(/^attest_/, "", open_table)
    sub(/\[.*/, "", open_table)
    next
  }
  if ($0 ~ /^};/) open_table = ""
  if (open_table != "") {
    line = $0
    gsub(/,/, " ", line)
    n = split(line, piece, " ")
    for (i = 1; i <= n; i++) table[open_table] = table[open_table] " " number(piece[i])
  }
  next
}

{
  line = $0
  while (match(line, /@[A-Za-z0-9_:]+@/)) {
    token = substr(line, RSTART + 1, RLENGTH - 2)
    if (split(token, part, ":") == 3 && part[1] == "horner") text = horner(part[2], part[3])
    else if (token in value) text = value[token]
    else fail("no value for " token)
    line = substr(line, 1, RSTART - 1) text substr(line, RSTART + RLENGTH)
  }
  print line
}

END { if (failed) exit 1 }
