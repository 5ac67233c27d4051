package launchfile

import (
	"cmp"
	"strconv"

	"gpuperf/internal/yamlfile"
)

// Code is the machine code of a launch file, for emulation.
type Code struct {
	Listing string // the path of a listing or a cubin; "" for none
	Arch    string // that it is for, or that the source is built for; "" is not said
	// Registers of a work-item, and bytes of shared memory of a work-group and of local memory of a work-item, where the listing does not
	// say; 0 is not said.
	Registers, Shared, Local int64
}

// Assumption is what emulation cannot know: how often a branch is taken, how often a loop turns, what the second-level cache serves.
type Assumption struct {
	// Branch, Loop or Region is an address ("0x5c0"), a line of a source ("saxpy.cu:12") or for regions a range of addresses
	// ("0x300-0x7f0"); the others are "".
	Branch, Loop, Region string
	Value                float64 // a part, 0 to 1, or a number of turns
	node                 *yamlfile.Node
}

// Errorf is an error at the place of the assumption.
func (a Assumption) Errorf(format string, args ...any) error { return a.node.Errorf(format, args...) }

// code reads what emulation needs of the machine code, and what it assumes.
func (r *reader) code(f map[string]*yamlfile.Node) (err error) {
	c := &r.file.Code
	if err = cmp.Or(
		optional(f["listing"], (*yamlfile.Node).String, &c.Listing),
		optional(f["arch"], (*yamlfile.Node).String, &c.Arch),
	); err != nil {
		return err
	}
	if c.Listing != "" {
		c.Listing = r.file.near(c.Listing)
	}
	if n := f["resources"]; n != nil {
		fields, err := n.Fields(Keys["resources"]...)
		if err != nil {
			return err
		}
		for key, into := range map[string]*int64{"registers": &c.Registers, "shared": &c.Shared, "local": &c.Local} {
			if err := optional(fields[key], amount, into); err != nil {
				return err
			}
		}
	}
	if f["assume"] == nil {
		return nil
	}
	items, err := f["assume"].List()
	if err != nil {
		return err
	}
	for _, n := range items {
		a, err := assumption(n)
		if err != nil {
			return err
		}
		r.file.Assume = append(r.file.Assume, a)
	}
	return nil
}

func amount(n *yamlfile.Node) (int64, error) {
	v, err := n.Int()
	if err == nil && v < 0 {
		err = n.Errorf("expected 0 or more, found %d", v)
	}
	return int64(v), err
}

// assumptions are the kinds of assumptions: a place, its value, and the most that this may be.
var assumptions = []struct {
	place, value string
	most         float64
}{{"branch", "taken", 1}, {"loop", "trips", 1e15}, {"region", "l2_hit", 1}}

func assumption(n *yamlfile.Node) (a Assumption, err error) {
	fields, err := n.Fields(Keys["assumption"]...)
	if err != nil {
		return a, err
	}
	for _, k := range assumptions {
		place, value := fields[k.place], fields[k.value]
		if place == nil || value == nil || len(fields) != 2 {
			continue
		}
		text, err := place.String()
		if err != nil {
			return a, err
		}
		v, err := strconv.ParseFloat(value.Text, 64)
		if err != nil || v < 0 || v > k.most {
			return a, value.Errorf("expected a number from 0 to %g, found %q", k.most, value.Text)
		}
		*map[string]*string{"branch": &a.Branch, "loop": &a.Loop, "region": &a.Region}[k.place] = text
		a.Value, a.node = v, n
		return a, nil
	}
	return a, n.Errorf("expected an assumption").WithHint(`write {branch: "0x5c0", taken: 0.5}, {loop: "saxpy.cu:12", trips: 17} or {region: "0x300-0x7f0", l2_hit: 0.8}`)
}
