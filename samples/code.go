package samples

import (
	"fmt"
	"strings"
)

// Code is what the machine code of a kernel holds. Instructions count as they stand in it, not as often as they are executed.
type Code struct {
	CodePart
	Loops []CodeLoop `json:"loops,omitempty"` // each before those inside it
}

// CodePart is what a part of the code holds.
type CodePart struct {
	Instructions int                `json:"instructions"`
	Classes      map[string]int     `json:"classes"` // by what they do: float32, integer, memory
	Accesses     map[CodeAccess]int `json:"accesses,omitempty"`
	Barriers     int                `json:"barriers,omitempty"`
}

// CodeLoop is the body of a loop, inner loops aside.
type CodeLoop struct {
	Depth int `json:"depth"` // 1 for the outermost
	CodePart
}

// CodeAccess is a way in which instructions access memory. Its text is like "global load 16 a".
type CodeAccess struct {
	Space  string // global, local, private
	Action string // load, store, atomic, copy
	Bytes  int    // for each work-item
	Array  string // the argument that it points into; "" where that is not known
}

func (c *Code) check() error {
	if c == nil {
		return nil
	}
	for i, l := range c.Loops {
		if l.Depth < 1 {
			return fmt.Errorf("loops[%d] is %d loops deep", i, l.Depth)
		}
	}
	return nil
}

// MarshalText writes the text form.
func (a CodeAccess) MarshalText() ([]byte, error) {
	return []byte(strings.TrimRight(fmt.Sprintf("%s %s %d %s", a.Space, a.Action, a.Bytes, a.Array), " ")), nil
}

// UnmarshalText reads the text form.
func (a *CodeAccess) UnmarshalText(text []byte) error {
	n, err := fmt.Sscan(string(text), &a.Space, &a.Action, &a.Bytes, &a.Array)
	if n < 3 {
		return fmt.Errorf(`%q is no access to memory such as "global load 16 a": %w`, text, err)
	}
	return nil
}
