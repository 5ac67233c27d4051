package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gpuperf/internal/command/stock"
	"gpuperf/internal/format"
)

// data says where samples and profiles are kept, how much there is, and whether more can be written.
func data(_ context.Context, m *Machine) []Finding {
	bytes, files := stock.Size(m.Data)
	f := Finding{Subject: "data", Verdict: Good, Text: fmt.Sprintf("%s: %d files, %s", m.Data, files, format.Bytes(bytes))}
	probe, err := probe(m.Data)
	if err != nil {
		f.Verdict, f.Text = Failure, fmt.Sprintf("nothing can be written to %s: %v", m.Data, err)
		f.Remedy = "make it writable, or name another directory by PERF_DATA"
	}
	os.Remove(probe)
	return []Finding{f}
}

// probe writes a file to a folder, or to the nearest above it that there is, and returns its path.
func probe(folder string) (string, error) {
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	file, err := os.CreateTemp(folder, ".perf-*")
	if err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// profiles says which profiles there are, and which of their models may no longer hold.
func profiles(_ context.Context, m *Machine) (all []Finding) {
	found, err := stock.Profiles(m.Data, m.found)
	if err != nil {
		return []Finding{{Subject: "profiles", Verdict: Failure, Text: err.Error()}}
	}
	for _, p := range found {
		switch {
		case p.Path == "": // it comes with the program
			continue
		case p.Error != "":
			all = append(all, Finding{"profiles", Failure, p.Error, "perf profile remove " + p.Name})
		case len(p.Doubts) == 0:
			all = append(all, Finding{Subject: "profiles", Verdict: Good, Text: p.Name})
		}
		for _, d := range p.Doubts {
			all = append(all, Finding{"profiles", Doubt, p.Name + ": " + d.Text, d.Remedy})
		}
	}
	if len(all) == 0 {
		return []Finding{{"profiles", Note, "no device has been calibrated yet", "perf calibrate; or predict for a device that the program knows: --profile h200"}}
	}
	return all
}
