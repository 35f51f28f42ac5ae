#!/usr/bin/env python3
"""stack.py PREFIX ELF FOLDER: the deepest stack under each public function of attest, in bytes.

PREFIX is that of the binutils (arm-none-eabi-). FOLDER holds the objects of the library and the
.su files of gcc -fstack-usage, built with -ffunction-sections. Calls are the relocations of the
objects; what they call elsewhere (the compiler's own library) is read from the disassembly of ELF,
with frames from the pushes and subtractions seen there. Recursion and calls through pointers are
errors.

Prints 'FUNCTION BYTES' a line, deepest first, with the path of the deepest."""
import glob
import os
import re
import subprocess
import sys


def disassemble(prefix, *arguments):
  run = subprocess.run([prefix + 'objdump', *arguments], capture_output=True, text=True, check=True)
  return run.stdout


def functions(listing):
  """name -> lines, for each function of a listing."""
  found, name = {}, None
  for line in listing.split('\n'):
    head = re.match(r'[0-9a-f]+ <(.+)>:$', line)
    if head:
      # Labels inside a function are no functions.
      if not head.group(1).startswith('.L'):
        name = head.group(1)
        found.setdefault(name, [])
    elif name and line.strip():
      found[name].append(line)
  return found


def library(prefix, folder):
  """(frames, calls) by function; a static function is named with its object."""
  frames, calls, exported = {}, {}, {}
  objects = sorted(glob.glob(os.path.join(folder, '*.o')))
  for path in objects:
    base = os.path.basename(path)
    symbols = disassemble(prefix, '-t', path)
    for line in symbols.split('\n'):
      fields = line.split()
      if len(fields) >= 5 and re.match(r'.* g +F ', line):
        exported[fields[-1]] = (base, fields[-1])
    usage = {}
    for line in open(path[:-2] + '.su', encoding='utf-8'):
      place, size, kind = line.rstrip('\n').split('\t')
      if kind == 'dynamic':
        sys.exit('stack.py: no bound for ' + place)
      # Clones of a function (f.isra.0, f.part.1) may be listed under its own name.
      name = place.split(':')[-1]
      for key in {name, name.split('.')[0]}:
        usage[key] = max(int(size), usage.get(key, 0))
    for name, lines in functions(disassemble(prefix, '-dr', path)).items():
      if name.split('.')[0] not in usage:
        sys.exit('stack.py: no stack usage for %s in %s' % (name, base))
      # gcc for Arm leaves out the parts of structures that arrive in registers.
      seen = sum(taken(prefix, line) for line in lines)
      frames[base, name] = max(seen, usage.get(name, usage[name.split('.')[0]]))
      targets = set()
      for line in lines:
        relocation = re.match(r'\s+[0-9a-f]+: R_(\w+)\s+([^\s+-]+)', line)
        if relocation:
          targets.add(relocation.group(2).replace('.text.', '', 1))
        elif re.search(r'\t(blx\s+r|icall|eicall|c?\.?jalr?\s+\w+$)', line):
          # auipc and jalr make one call with a relocation at auipc; other jalr are indirect.
          if 'jalr' not in line:
            sys.exit('stack.py: call through a pointer in ' + name)
      calls[base, name] = targets
  return frames, calls, exported, usage


def taken(prefix, line):
  """Bytes an instruction takes from the stack."""
  fields = line.split('\t')
  code = ' '.join(fields[2:])
  push = re.match(r'(?:push|stmdb sp!,|push\.w)\s*\{([^}]*)\}', code)
  if push:
    count = 0
    for item in push.group(1).split(','):
      ends = re.findall(r'\d+', item) if '-' in item else None
      count += int(ends[1]) - int(ends[0]) + 1 if ends else 1
    return 4 * count
  if prefix == 'avr-':
    return 1 if re.match(r'push r', code) else 0
  down = (re.match(r'sub(?:\.w)?\s+sp, (?:sp, )?#(\d+)', code) or
          re.match(r'(?:c\.)?addi\s+sp,sp,-(\d+)', code) or
          re.match(r'str(?:\.w|d)?\s.*\[sp, #-(\d+)\]!', code))
  return int(down.group(1)) if down else 0


def outside(prefix, elf):
  """The same for everything in the linked program, from the code alone."""
  frames, calls = {}, {}
  for name, lines in functions(disassemble(prefix, '-d', elf)).items():
    frame, targets = (2 if prefix == 'avr-' else 0), set()
    for line in lines:
      frame += taken(prefix, line)
      code = ' '.join(line.split('\t')[2:])
      call = re.search(r'<([^>+]+)(?:\+0x[0-9a-f]+)?>', code)
      if call and re.match(r'(b|j|call|rcall|rjmp|tail)', code):
        targets.add(call.group(1))
    frames[name] = frame
    calls[name] = targets - {name}
  return frames, calls


def main():
  prefix, elf, folder = sys.argv[1:4]
  frames, calls, exported, _ = library(prefix, folder)
  other_frames, other_calls = outside(prefix, elf)
  return_address = 2 if prefix == 'avr-' else 0
  known = {}

  def depth(node, path):
    if node in path:
      if node not in frames:
        return 0, []  # the compiler's own library jumps between its functions, as in a loop
      sys.exit('stack.py: recursion through ' + str(node))
    if node not in known:
      if node in frames:
        own, targets = frames[node] + return_address, calls[node]
        below = []
        for target in targets:
          if (node[0], target) in frames and (node[0], target) != node:
            below.append((node[0], target))
          elif target in exported and exported[target] != node:
            below.append(exported[target])
          elif re.match('__(prologue_saves|epilogue_restores)__', target):
            pass  # counted in the frame of the function
          elif target in other_frames and target not in exported and target != node[1]:
            below.append(target)
      else:
        own, below = other_frames[node], [t for t in other_calls[node] if t in other_frames]
      deepest = max((depth(b, path + [node]) for b in below), default=(0, []),
                      key=lambda pair: pair[0])
      known[node] = (own + deepest[0], [(node, own)] + deepest[1])
    return known[node]

  results = []
  for name, node in exported.items():
    if re.match(r'attest_q16_(exp|softmax|naive|tiled|decode|append|layout|default_scale|scale_of|'
                r'stream_\w+)$', name):
      results.append(depth(node, []) + (name,))
  results.sort(key=lambda r: (-r[0], r[2]))
  for size, _, name in results:
    print(name, size)
  print('path', ' '.join('%s:%d' % (n[1] if isinstance(n, tuple) else n, own)
                         for n, own in results[0][1]))


if __name__ == '__main__':
  main()
