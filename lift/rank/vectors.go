package rank

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// VectorsVersion is the version of the format of vector files that this package reads and writes.
const VectorsVersion = 1

// Vector has the static features of a kernel. It belongs to the sample of the same identity, source and options.
type Vector struct {
	Kernel     samples.Identity `json:"kernel"`
	SourceHash string           `json:"source_hash"`
	Options    string           `json:"options,omitempty"` // of the compiler
	Benchmark  string           `json:"benchmark"`
	Size       string           `json:"size"`
	Values     []float64        `json:"values"`
	// Predicted is the time in seconds that a model predicts, 0 without one.
	Predicted float64 `json:"predicted,omitempty"`
}

// VectorKey tells vectors apart, and joins them with samples.
type VectorKey struct{ kernel, hash, options string }

// Key is that of the vector.
func (x *Vector) Key() VectorKey { return VectorKey{x.Kernel.Key(), x.SourceHash, x.Options} }

// Kept is a file of vectors that is added to. The zero value with a path is ready.
type Kept struct {
	Path string
	have map[VectorKey]bool // nil before the file was read
}

// Add appends the vectors that the file does not have.
func (k *Kept) Add(v Vectors) (warnings []error, err error) {
	if k.have == nil {
		old, told, err := ReadVectors(k.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		warnings, k.have = told, map[VectorKey]bool{}
		if old != nil {
			for i := range old.List {
				k.have[old.List[i].Key()] = true
			}
		}
	}
	v.List = slices.DeleteFunc(v.List, func(x Vector) bool { return k.have[x.Key()] })
	if len(v.List) == 0 {
		return warnings, nil
	}
	if err := v.Append(k.Path); err != nil {
		return warnings, err
	}
	for i := range v.List {
		k.have[v.List[i].Key()] = true
	}
	return warnings, nil
}

// Vectors are the vectors of a file: lines of JSON, appended by every run. A line with names applies to the lines after it, so
// features can be added to an existing file.
type Vectors struct {
	Names []string
	List  []Vector
}

// header is the line that names features.
type header struct {
	Version  int      `json:"version"`
	Features []string `json:"features"`
}

// maxVectors is the largest text of vectors, in bytes.
const maxVectors = 256 << 20

// ReadVectors reads a file of vectors. An incomplete last line, and vectors that lack features which later ones have, are
// left out with a warning. Errors have the position in the file.
func ReadVectors(path string) (v *Vectors, warnings []error, err error) {
	f, err := source.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err := bounded.ReadAll(path, f, maxVectors)
	if err == nil {
		if packed, notPacked := gzip.NewReader(bytes.NewReader(text)); notPacked == nil {
			text, err = bounded.ReadAll(path, packed, maxVectors)
		}
	}
	if err != nil {
		return nil, nil, source.Unreadable(path, err)
	}
	return ParseVectors(path, text)
}

// ParseVectors is ReadVectors of a text.
func ParseVectors(name string, text []byte) (v *Vectors, warnings []error, err error) {
	var blocks []block
	for number := 1; len(text) > 0; number++ {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		text = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		fail := func(format string, args ...any) error {
			return &source.Error{File: name, Pos: source.Pos{Line: number, Column: 1}, Msg: fmt.Sprintf(format, args...)}
		}
		if !ended && !json.Valid(line) {
			warnings = append(warnings, warning.IncompleteFile.Error(fail("the last line is incomplete: a run was killed while writing it")))
			break
		}
		var both struct {
			header
			Vector
		}
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&both); err != nil {
			return nil, nil, fail("not a feature vector: %v", err)
		}
		switch {
		case both.Features != nil:
			if both.Version != VectorsVersion {
				return nil, nil, fail("version is %d, this program knows %d", both.Version, VectorsVersion)
			}
			blocks = append(blocks, block{names: both.Features})
			continue
		case len(blocks) == 0:
			return nil, nil, fail("the names of the features are missing before the first vector")
		}
		last := &blocks[len(blocks)-1]
		x := both.Vector
		switch {
		case len(x.Values) != len(last.names):
			return nil, nil, fail("the vector has %d values, for %d features", len(x.Values), len(last.names))
		case x.Kernel.Source == "" || x.Benchmark == "":
			return nil, nil, fail("the vector says not of which kernel and benchmark it is")
		case x.Predicted < 0:
			return nil, nil, fail("a predicted time of %g s", x.Predicted)
		}
		last.list = append(last.list, x)
	}
	v, left := assembled(name, blocks)
	return v, append(warnings, left...), nil
}

// block is what a file has between two lines with the names of features.
type block struct {
	names []string
	list  []Vector
}

// assembled are the vectors of all blocks that have the features of the last.
func assembled(name string, blocks []block) (v *Vectors, warnings []error) {
	v = &Vectors{}
	if len(blocks) == 0 {
		return v, warnings
	}
	v.Names = blocks[len(blocks)-1].names
	for _, b := range blocks {
		pick, lacks := picker(b.names, v.Names)
		if len(lacks) > 0 {
			if len(b.list) > 0 {
				warnings = append(warnings, warning.LeftOut.Error(
					fmt.Errorf("%s: %d vectors lack the feature %s and are left out; make them again", name, len(b.list), lacks[len(lacks)-1])))
			}
			continue
		}
		for _, x := range b.list {
			x.Values = pick(x.Values)
			v.List = append(v.List, x)
		}
	}
	return v, warnings
}

// Append writes the vectors to the end of a file, which it creates if necessary.
func (v *Vectors) Append(path string) (err error) {
	defer throw.Catch(&err)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("appending feature vectors: %w", err)
	}
	var out bytes.Buffer
	if n := len(old); n > 0 && old[n-1] != '\n' {
		if end := bytes.LastIndexByte(old, '\n') + 1; !json.Valid(old[end:]) { // a line that was cut off
			if err := os.Truncate(path, int64(end)); err != nil {
				return fmt.Errorf("appending feature vectors: %w", err)
			}
			old = old[:end]
		} else {
			out.WriteByte('\n')
		}
	}
	v.write(&out, slices.Equal(lastNames(old), v.Names))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("appending feature vectors: %w", err)
	}
	if _, err := f.Write(out.Bytes()); err != nil {
		f.Close()
		return fmt.Errorf("appending feature vectors: %w", err)
	}
	return f.Close()
}

// Write writes a file of the vectors.
func (v *Vectors) Write(w io.Writer) (err error) {
	defer throw.Catch(&err)
	v.write(w, false)
	return nil
}

func (v *Vectors) write(w io.Writer, named bool) {
	enc := json.NewEncoder(w)
	if !named {
		throw.If(enc.Encode(header{VectorsVersion, v.Names}))
	}
	for _, x := range v.List {
		if len(x.Values) != len(v.Names) {
			panic(throw.Errorf("the vector of %s has %d values, for %d features", x.Kernel.Key(), len(x.Values), len(v.Names)))
		}
		if err := enc.Encode(x); err != nil {
			panic(throw.Errorf("vector of %s: %w", x.Kernel.Key(), err))
		}
	}
}

// lastNames are the names that the last header of the text gives.
func lastNames(text []byte) []string {
	at := bytes.LastIndex(text, []byte(`"features":`))
	if at < 0 {
		return nil
	}
	line, _, _ := bytes.Cut(text[bytes.LastIndexByte(text[:at], '\n')+1:], []byte("\n"))
	var h header
	if json.Unmarshal(line, &h) != nil {
		return nil
	}
	return h.Features
}

// RecipeTag begins the tag of a sample with the recipe of its variant.
const RecipeTag = "recipe:"

// Tags are the tags of a sample of a variant of a recipe.
func Tags(recipe string) []string { return []string{"lift", RecipeTag + recipe} }

// kindOf is the recipe and the ND-range of a recorded variant; "" if its tags do not name the recipe.
func kindOf(r *samples.Record) string {
	i := slices.IndexFunc(r.Tags, func(tag string) bool { return strings.HasPrefix(tag, RecipeTag) })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%s, %s of %s", r.Tags[i], r.Kernel.Args["local"], r.Kernel.Args["global"])
}

// Join makes a set of vectors and the records of their kernels: the same identity, source and options. A kernel that ran into its time
// limit takes infinitely long; one that failed otherwise is left out; one without a record was not measured. Of several vectors
// of a kernel the last one holds. The warning says how many were left out.
func Join(v *Vectors, records iter.Seq2[*samples.Record, error]) (set *Set, warnings []error, err error) {
	type answer struct {
		status  samples.Status
		seconds float64
		kind    string
	}
	known := map[VectorKey]answer{}
	for r, err := range records {
		if err != nil {
			return nil, nil, err
		}
		known[VectorKey{r.Kernel.Key(), r.SourceHash, r.Options}] = answer{r.Status, r.Seconds(), kindOf(r)}
	}
	s := &Set{Names: v.Names}
	at := map[VectorKey]int{}
	failed := map[samples.Status]int{}
	for _, x := range v.List {
		k := x.Key()
		p := Point{ID: k.kernel, Benchmark: x.Benchmark, Size: x.Size, Features: x.Values, Seconds: math.NaN(), Predicted: math.NaN()}
		if x.Predicted > 0 {
			p.Predicted = x.Predicted
		}
		if r, ok := known[k]; ok {
			p.Kind = r.kind
			switch r.status {
			case samples.OK:
				p.Seconds = r.seconds
			case samples.Timeout:
				p.Seconds = math.Inf(1)
			default:
				failed[r.status]++
				continue
			}
		}
		if i, ok := at[k]; ok {
			s.Points[i] = p
			continue
		}
		at[k] = len(s.Points)
		s.Points = append(s.Points, p)
	}
	for _, status := range slices.Sorted(maps.Keys(failed)) {
		warnings = append(warnings, warning.LeftOut.Error(fmt.Errorf("%d kernels are left out: %s", failed[status], status)))
	}
	return s, warnings, nil
}
