package bench

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"slices"
	"strings"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
	"gpuperf/sass"
)

// ListingOf is the file with the listing of measurement kernels that belongs to a file of samples.
func ListingOf(samples string) string {
	return strings.TrimSuffix(strings.TrimSuffix(samples, ".gz"), ".jsonl") + ".sass.gz"
}

// save writes the listings of all kernels to a file, unless there are none.
func (c Code) save(path string) error {
	var texts []string
	for _, b := range c {
		if b.text != "" {
			texts = append(texts, b.text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	slices.Sort(texts)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, strings.Join(texts, "\n")); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o644)
}

// The variables in constant memory of machine.cu and constants.cu, which a listing does not tell: one table each, of zeros, the larger one of so many bytes.
const (
	variables  = 3 // their bank
	tableBytes = 64 * 1024
)

// Functions reads a file of listings: the kernels by name.
func Functions(path string) (map[string]*sass.Function, error) {
	const most = 64 << 20 // bytes of a packed file: those of all measurements have some hundred thousand
	packed, err := bounded.ReadFile(path, most)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, source.At("", path, source.Pos{}, "this is no listing packed by gzip: %v", err)
	}
	text, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil {
		return nil, source.At("", path, source.Pos{}, "this is no listing packed by gzip: %v", err)
	}
	l, err := sass.Parse(string(text))
	if err != nil {
		return nil, source.InFile(err, path)
	}
	all := map[string]*sass.Function{}
	for _, f := range l.Functions {
		f.Constants = map[int][]byte{variables: make([]byte, tableBytes)}
		all[f.Name] = f
	}
	return all, nil
}
