package exec

import (
	"regexp"
	"strings"

	"gpuperf/sass"
)

// access is how a memory instruction finds its addresses.
type access struct {
	space  sass.Space
	bytes  int
	signed bool // of a value of less than a word
	tells  bool // it returns whether it has stored
	others bool // what it loads others store, at a time that nobody knows
	parts  [2]address
	values []source // that are stored: as many registers as bytes ask for, and more operands of atomics
}

// address is an address in the text of an operand: [R2.64+UR4+0x8].
type address struct {
	terms  []term
	offset uint64
	wide   bool // it has 64 bits
}

// term is a register of an address.
type term struct {
	row    int
	wide   bool
	signed bool
	scale  uint64
}

var (
	brackets = regexp.MustCompile(`(?:c\[0x[0-9a-f]+\])?\[([^\[\]]*)\]$`)
	termText = regexp.MustCompile(`^(UR|R)(\d+|Z)((?:\.\w+)*)$`)
)

// address decodes the address of an operand.
func (d *decoder) address(text string, wide bool) (a address, ok bool) {
	m := brackets.FindStringSubmatch(text)
	if m == nil || strings.HasPrefix(text, "cx") {
		return a, false
	}
	a.wide = wide
	for part := range strings.SplitSeq(m[1], "+") {
		if t := termText.FindStringSubmatch(part); t != nil {
			file, index := sass.General, int(hexOr(t[2], sass.Constant))
			if t[1] == "UR" {
				file = sass.Uniform
			}
			if index == sass.Constant {
				continue
			}
			one := term{row: reads(sass.Register{File: file, Index: index}), scale: 1, wide: wide}
			for s := range strings.SplitSeq(strings.TrimPrefix(t[3], "."), ".") {
				switch s {
				case "64":
					one.wide = true
				case "U32", "S32":
					one.wide, one.signed = false, s == "S32"
				case "X4", "X8", "X16":
					one.scale = uint64(hexOr(s[1:], 1))
				}
			}
			a.terms = append(a.terms, one)
		} else if part != "" {
			v := hexOr(strings.TrimPrefix(part, "-"), 0)
			if strings.HasPrefix(part, "-") {
				v = -v
			}
			a.offset += uint64(v)
		}
	}
	return a, true
}

func (a *address) at(f *file, lane int) (v uint64, known bool) {
	v, known = a.offset, true
	for i := range a.terms {
		t := &a.terms[i]
		x := uint64(f.rows[t.row][lane])
		known = known && f.known[t.row]>>lane&1 != 0
		if t.wide {
			x |= uint64(f.rows[t.row+1][lane]) << 32
			known = known && f.known[t.row+1]>>lane&1 != 0
		} else if t.signed {
			x = uint64(int64(int32(x)))
		}
		v += x * t.scale
	}
	if !a.wide {
		v &= 0xffffffff
	}
	return v, known
}

// all computes the addresses of lanes.
func (a *address) all(f *file, lanes uint32, to *Access) {
	if len(a.terms) == 0 {
		to.Known = lanes
		for i := range to.Address {
			to.Address[i] = a.offset
		}
		return
	}
	if len(a.terms) != 1 || a.terms[0].wide != a.wide || a.terms[0].scale != 1 {
		for m := lanes; m != 0; m &= m - 1 {
			i := active(m)
			v, known := a.at(f, i)
			to.Address[i] = v
			if known {
				to.Known |= 1 << i
			}
		}
		return
	}
	n := a.terms[0].row
	low := &f.rows[n]
	to.Known = lanes & f.known[n]
	if !a.wide {
		for i := range low {
			to.Address[i] = uint64(low[i] + uint32(a.offset))
		}
		return
	}
	high := &f.rows[n+1]
	to.Known &= f.known[n+1]
	for i := range low {
		to.Address[i] = (uint64(low[i]) | uint64(high[i])<<32) + a.offset
	}
}
