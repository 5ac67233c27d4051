package launches

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"

	"gpuperf/device"
	"gpuperf/sass"
)

// Hash is the same for sequences whose launches are alike: of the same code, ND-range, contents of buffers and assumptions, with the same bytes in all
// that the code reads of its parameters. Addresses are alike where they are aligned alike, lie in buffers that are alike, and are as far from each
// other as to tell which are the same.
func (s *Sequence) Hash(l *sass.Listing) (string, error) {
	functions, err := s.functions(l)
	if err != nil {
		return "", err
	}
	var all []any
	hashes := map[*sass.Function]string{}
	for i, job := range s.Job.Launches() {
		f := functions[i]
		if hashes[f] == "" {
			hashes[f] = f.Hash()
		}
		all = append(all, hashes[f], job.Global, job.Local, arguments(f, job, len(s.Job.Then) > 0), job.Packed, job.LocalMem, job.Dynamic, job.Attributes)
	}
	var variables canonical
	all = append(all, variables.all(s.Job.Variables, nil, 0), s.Code.Registers, s.Code.Shared, s.Code.Local, s.Source)
	for _, a := range s.Assume {
		all = append(all, fmt.Sprint(a.Branch, "\x00", a.Loop, "\x00", a.Region, "\x00", a.Value, a.Trips, a.Holds))
	}
	text, err := json.Marshal(all)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// arguments are those of a launch in the form in which alike launches have the same. Buffers of a sequence keep their names, as launches share them.
func arguments(f *sass.Function, job device.Job, sequence bool) []any {
	read, known := f.Reads()
	c := canonical{exact: sequence}
	if !known || job.Packed || len(job.Args) != len(f.Parameters) {
		return c.all(job.Args, nil, 0)
	}
	var all []any
	for i, a := range job.Args {
		all = append(all, c.all([]device.Arg{a}, read, f.Parameters[i].From-f.Parameters[0].From)...)
	}
	return all
}

// canonical makes arguments of the same launches the same.
type canonical struct {
	exact   bool // whether buffers keep their names and places
	buffers []string
	last    map[string]int64 // the place in each buffer that was passed last
}

// all are arguments that lie one after the other from a byte of the parameters on; nil for read means that all is read.
func (c *canonical) all(args []device.Arg, read []bool, at int) (list []any) {
	for _, a := range args {
		switch {
		case a.Kind == device.Struct:
			for _, f := range a.Fields {
				list = append(list, f.Offset, c.all([]device.Arg{f.Arg}, read, at+int(f.Offset)))
			}
			list = append(list, a.Count)
		case a.Kind == device.Raw && read != nil:
			kept := slices.Clone(a.Bits)
			for i := range kept {
				if !used(read, at+i, 1) {
					kept[i] = 0
				}
			}
			list = append(list, kept)
		case a.Kind == device.Buffer && !used(read, at, 8), a.Kind == device.Scalar && !used(read, at, int(a.Size())):
			list = append(list, "not read")
		case a.Kind == device.Buffer && !c.exact:
			list = append(list, c.place(a), c.memory(a))
		default:
			list = append(list, c.memory(a))
		}
	}
	return list
}

// used reports whether any of so many bytes is read.
func used(read []bool, at, n int) bool {
	if read == nil {
		return true
	}
	return at < len(read) && slices.Contains(read[at:min(at+n, len(read))], true)
}

// place is where an argument points to: which buffer it is, how it is aligned, and how far it is from the one before in this buffer.
func (c *canonical) place(a device.Arg) []int {
	const alignment, far = 512, 12 // bytes; places that are further apart than 4 KB are apart
	i := slices.Index(c.buffers, a.Name)
	if i < 0 {
		i = len(c.buffers)
		c.buffers = append(c.buffers, a.Name)
	}
	if c.last == nil {
		c.last = map[string]int64{}
	}
	apart := 0
	if before, ok := c.last[a.Name]; ok {
		apart = min(bits.Len64(uint64(max(a.At-before, before-a.At))), far)
	}
	c.last[a.Name] = a.At
	return []int{i, int(a.At % alignment), apart}
}

// memory is an argument without the path of its file, whose contents have a hash, and with what is said of its contents.
func (c *canonical) memory(a device.Arg) []any {
	if a.File != nil {
		file := *a.File
		file.Path = ""
		a.File = &file
	}
	said := a.Said()
	if a.Kind == device.Buffer && !c.exact {
		a.Name, a.At = "", 0
		if a.Sequence != nil || a.File != nil {
			a.Seed = 0 // which follows from the name, and fills nothing
		}
	}
	return []any{a, said}
}
