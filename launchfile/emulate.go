package launchfile

import (
	"cmp"

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

// code reads what emulation needs of the machine code.
func (r *reader) code(f map[string]*yamlfile.Node) (err error) {
	c := &r.file.Code
	if err = cmp.Or(
		yamlfile.Optional(f["listing"], (*yamlfile.Node).String, &c.Listing),
		yamlfile.Optional(f["arch"], (*yamlfile.Node).String, &c.Arch),
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
			if err := yamlfile.Optional(fields[key], amount, into); err != nil {
				return err
			}
			if most, ok := mostOf[key]; ok && *into > most {
				return fields[key].Errorf("expected %d %s at most, found %d", most, key, *into)
			}
		}
	}
	return nil
}

// mostOf is how much a work-item can have. Registers are named in 8 bits, one of whose numbers is that of zero; its own memory is 512 KB (CUDA C++
// Programming Guide, technical specifications by compute capability), and shared memory is addressed in 24 bits.
var mostOf = map[string]int64{"registers": 255, "local": 512 << 10, "shared": 1 << 24}

func amount(n *yamlfile.Node) (int64, error) {
	v, err := n.Int()
	if err == nil && v < 0 {
		err = n.Errorf("expected 0 or more, found %d", v)
	}
	return int64(v), err
}
