package launches

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"gpuperf/device"
	"gpuperf/sass"
)

// Hash is the same for sequences of which emulation tells the same but for their names: by machine code, launches, what buffers hold, and
// assumptions.
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
		all = append(all, hashes[f], job.Global, job.Local, bare(job.Args), job.Packed, job.LocalMem, job.Dynamic, job.Attributes)
	}
	all = append(all, bare(s.Job.Variables), s.Code.Registers, s.Code.Shared, s.Code.Local, s.Source)
	for _, a := range s.Assume {
		all = append(all, fmt.Sprint(a.Branch, "\x00", a.Loop, "\x00", a.Region, "\x00", a.Value, a.Trips, a.Holds))
	}
	text, err := json.Marshal(all)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// bare are arguments without the paths of files, whose contents have hashes, and with what is said of their contents.
func bare(args []device.Arg) (all []any) {
	for _, a := range args {
		if a.File != nil {
			file := *a.File
			file.Path = ""
			a.File = &file
		}
		fields := slices.Clone(a.Fields)
		a.Fields = nil
		all = append(all, a, a.Said())
		for _, f := range fields {
			all = append(all, f.Offset, bare([]device.Arg{f.Arg}))
		}
	}
	return all
}
