package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpuperf/device/machine"
	"gpuperf/internal/format"
)

// Compiled is what the compiler made of the kernel, as the driver told when it was measured; 0 is not told.
type Compiled struct {
	Registers  int64   `json:"registers,omitempty"`   // of a work-item
	PrivateMem int64   `json:"private_mem,omitempty"` // bytes of a work-item: of spilled registers and arrays
	LocalMem   int64   `json:"local_mem,omitempty"`   // bytes of a work-group
	Groups     int64   `json:"groups,omitempty"`      // work-groups that a compute unit runs at once: by the data sheet, where the driver does not tell
	Most       int64   `json:"most_groups,omitempty"` // as many as there can be of this size
	Limit      string  `json:"limit,omitempty"`       // the resource for which there are no more
	Occupancy  float64 `json:"occupancy,omitempty"`   // the share of the sub-groups that a compute unit can hold
}

// compiled takes over what the record says, and names what limits the work-groups.
func (e *explainer) compiled(out *Explanation) error {
	if e.Record == nil {
		return nil
	}
	r := e.Record.Compiled
	c := Compiled{
		Registers: r.Registers, PrivateMem: r.PrivateMem, LocalMem: r.LocalMem + r.DynamicMem, Groups: r.GroupsPerUnit, Occupancy: r.Occupancy,
	}
	if c.Registers == 0 && c.Groups == 0 {
		return nil
	}
	out.Compiled = &c
	group := machine.Group{Items: 1, Registers: c.Registers, Local: c.LocalMem, Subgroup: int64(e.Lanes)}
	for _, n := range e.Record.Local {
		group.Items *= n
	}
	limits := machine.Limits(e.Facts, group)
	if len(limits) < 2 || len(e.Record.Local) == 0 || c.Registers == 0 {
		return nil
	}
	least := slices.MinFunc(limits, func(a, b machine.Limit) int { return cmp.Compare(a.Groups, b.Groups) })
	c.Groups = cmp.Or(c.Groups, least.Groups)
	c.Most = max(c.Groups, min(limits[0].Groups, limits[1].Groups))
	if c.Groups < c.Most {
		c.Limit = least.Resource
	}
	return nil
}

// String says it in a line.
func (c *Compiled) String() string {
	var parts []string
	say := func(n int64, format string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	say(c.Registers, "%s", format.Count(int(c.Registers), "register"))
	switch {
	case c.Limit != "":
		say(c.Groups, "%d of %d work-groups at once: limited by %s", c.Groups, c.Most, c.Limit)
	case c.Most > 0:
		say(c.Groups, "%d of %d work-groups at once", c.Groups, c.Most)
	default:
		say(c.Groups, "%s at once", format.Count(int(c.Groups), "work-group"))
	}
	say(c.PrivateMem, "%s of private memory for each work-item, for spilled registers or arrays", format.Bytes(c.PrivateMem))
	return strings.Join(parts, "; ")
}

// scarce is the share of the work-groups that there could be below which more of them may be worth something.
const scarce = 0.5

// remedies are what would let more work-groups run at once, by what limits them.
var remedies = map[string]string{
	"registers":    "fewer values that each work-item keeps",
	"local memory": "smaller tiles",
}

// advice says what would let more work-groups run at once, where few do; "" where it does not matter.
func (c *Compiled) advice() string {
	remedy, ok := remedies[c.Limit]
	if !ok || float64(c.Groups) > scarce*float64(c.Most) {
		return ""
	}
	return fmt.Sprintf("only %d of %d work-groups run at once: %s would let more run", c.Groups, c.Most, remedy)
}
