// Package exchange turns samples into formats of other programs, and what other programs have recorded into samples.
//
// Export writes samples as one of Exports; Import reads a file as one of Imports, which it recognises by what is in it. An imported
// record says who measured it (samples.Record.Origin) and holds no more than its file tells: the name of a kernel, its launch, its
// times, what a profiler has counted. There is one record for each kernel and launch: several launches of it are its trials.
package exchange

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/samples"
)

// Format is a format of another program.
type Format struct {
	Name string
	Doc  string

	write   func(w io.Writer, records []*samples.Record) error
	matches func(text string) bool
	read    func(f file) ([]samples.Record, error)
}

// Exports are the formats that samples can be written in.
var Exports = []Format{
	{Name: "bench", Doc: "Go's benchmark format, a line for each trial, which benchstat compares", write: writeBench},
	{Name: "t4", Doc: "the results format of the auto-tuning community (T4, version " + t4Version + "), JSON", write: writeT4},
	{Name: "t4-metadata", Doc: "its metadata: the device", write: writeT4Metadata},
	{Name: "csv", Doc: "a table with a row for each sample and a column for each size, argument and metric", write: writeCSV},
}

// Imports are the formats that samples can be read from.
var Imports = []Format{
	{Name: "ncu", Doc: "Nsight Compute: ncu --csv --page raw", matches: isNCU, read: readNCU},
	{Name: "nsys", Doc: "Nsight Systems: nsys stats --report cuda_gpu_trace --format csv", matches: isNsys, read: readNsys},
	{Name: "kernel-tuner", Doc: "a cache file of Kernel Tuner, JSON", matches: isKernelTuner, read: readKernelTuner},
	{Name: "t4", Doc: "results of auto-tuners (T4), JSON", matches: isT4, read: readT4},
}

// Names are those of formats.
func Names(formats []Format) (names []string) {
	return lists.Map(formats, func(f Format) string { return f.Name })
}

// List is a line that says what the formats are.
func List(formats []Format) string {
	return lists.Join(formats, "; ", func(f Format) string { return fmt.Sprintf("%s (%s)", f.Name, f.Doc) })
}

func find(formats []Format, name string) (Format, error) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, fmt.Errorf("unknown format %q; there are: %s", name, strings.Join(Names(formats), ", "))
	}
	return formats[i], nil
}

// Export writes samples in a format; those of the sentinel kernel are left out.
func Export(w io.Writer, format string, all iter.Seq2[*samples.Record, error]) error {
	f, err := find(Exports, format)
	if err != nil {
		return err
	}
	var records []*samples.Record
	for r, err := range all {
		if err != nil {
			return err
		}
		if !r.IsSentinel() {
			records = append(records, r)
		}
	}
	if len(records) == 0 {
		return errors.New("there are no samples of kernels to export")
	}
	return f.write(w, records)
}

// Import reads the samples of a file in a format; "" is the one that the text looks like. It tells which one that was. A record that is bad, as one with
// a time of 0, is left out, and dropped says where and why; it is an error if none is good.
func Import(path, format string) (as string, records []samples.Record, dropped []error, err error) {
	text, modified, err := load(path)
	if err != nil {
		return "", nil, nil, err
	}
	f, err := find(Imports, format)
	if format == "" {
		f, err = recognise(path, text)
	}
	if err != nil {
		return "", nil, nil, err
	}
	records, err = f.of(file{path, text, modified, &dropped})
	return f.Name, records, dropped, err
}

// of returns the records of a file, each of them valid.
func (f Format) of(text file) ([]samples.Record, error) {
	all, err := f.read(text)
	if err != nil {
		return nil, err
	}
	var records []samples.Record
	for _, r := range all {
		if err := r.Check(); err != nil {
			text.drop(text.wrong("%s: %v", r.Kernel, err))
			continue
		}
		records = append(records, r)
	}
	switch dropped := *text.dropped; {
	case len(records) > 0:
		return records, nil
	case len(dropped) > 0:
		return nil, fmt.Errorf("%w (none of its records can be used)", dropped[0])
	}
	return nil, text.wrong("no launch of a kernel is in it")
}

func recognise(path, text string) (Format, error) {
	for _, f := range Imports {
		if f.matches(text) {
			return f, nil
		}
	}
	e := &source.Error{File: path, Msg: "none of the formats that can be imported is recognised in it", Hint: "these are:"}
	for _, f := range Imports {
		e.Hint += fmt.Sprintf("\n      %-12s  %s", f.Name, f.Doc)
	}
	return Format{}, e
}
