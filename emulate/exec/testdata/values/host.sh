#!/bin/bash
# host.sh FOLDER: computes by this processor what values.cu stores of FOLDER/in.bin, and leaves NAME.bin and NAME.kinds there.
# PTX in the source becomes calls of functions of host.cpp that have the text of the instruction.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -r "$work"' EXIT
perl -pe '
  s/asm\("\{[^"]*" : "=r"\(v\) : "r"\(x\), "r"\(y\)\)/compared(v, x, y)/g;
  s/^#define H2\(op\).*/#define H2(op) pair(op " ", v, x, y, 0); OUT(v);/; s/^#define H3\(op\).*/#define H3(op) pair(op " ", v, x, y, z); OUT(v);/;
  s/^#define F1\(op\).*/#define F1(op) ptx(op " ", v, f); OUT(v);/;
  while (/\basm(?: volatile)?\(("[^"]*")(?: : ("=\w"\((?:[^()]|\([^()]*\))*\))(?: : (.*?))?)?\);/) {
    my ($text, $to, $from) = ($1, $2 // "", $3 // "");
    my $name = $text =~ /^"(neg|abs|set\.\w+)\.f16x2/ ? "pair" : $text =~ /approx\.ftz\.f64/ ? "approximate64" : "ptx";
    my $all = join ", ", grep { $_ ne "" } $to, $from;
    $all =~ s/"=?\w"(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))/$1/g;
    $all .= ", 0, 0" if $name eq "pair" && $from !~ /,/;
    $all .= ", 0" if $name eq "pair" && $from =~ /,/;
    my $call = $all eq "" ? "$name($text);" : "$name($text, $all);";
    s/\basm(?: volatile)?\(("[^"]*")(?: : ("=\w"\((?:[^()]|\([^()]*\))*\))(?: : (.*?))?)?\);/$call/;
  }
' "$here/values.cu" > "$work/values.host.cu"
g++ -std=c++20 -O1 -frounding-math -fwrapv -mfma -mf16c -ffp-contract=fast -w -pthread -I"$work" -I"$here" -o "$work/host" "$here/host.cpp"
"$work/host" "$1"
