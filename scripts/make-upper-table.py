#!/usr/bin/env python3
"""Writes src/text/unicode/upper_table.cpp: capital letters as this Python's str.upper() and
str.title() make them. The form of the tables is told in src/text/unicode/tables.h.

    scripts/make-upper-table.py > src/text/unicode/upper_table.cpp
"""
def num(v):
    out=''
    while True:
        d=v&31; v>>=5
        if v: out+=chr(48+d+32)
        else: return out+chr(48+d)
def table(m):
    out='';prev=0
    for c in sorted(m):
        s=m[c]; out+=num(c-prev)+num(len(s))+''.join(num(ord(x)) for x in s); prev=c
    return out
up={};ti={}
for c in range(0x80,0x110000):
    if 0xd800<=c<0xe000: continue
    ch=chr(c);u=ch.upper();t=ch.title()
    if u!=ch: up[c]=u
    if t!=u: ti[c]=t
def lit(s):
    s=s.replace('\\','\\\\').replace('??','?\\?')
    lines=[];i=0
    while i<len(s):
        j=min(len(s),i+88)
        while s[i:j].endswith('\\') or s[j-1:j]=='?' and j<len(s): j-=1
        lines.append('    "'+s[i:j]+'"'); i=j
    return '\n'.join(lines)
print('''// Capital letters (generated data): what str.upper() and str.title() of Python 3.11 make of every
// character beyond ASCII, where it changes; scripts/make-upper-table.py writes this file.
#include "text/unicode/tables.h"

namespace jogak::text::tables {

// clang-format off
const std::string_view kUppercase =
%s;

const std::string_view kTitlecase =
%s;
// clang-format on

}  // namespace jogak::text::tables'''%(lit(table(up)),lit(table(ti))))
