package triton

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
)

// Entry is a compiled kernel of a cache: the files of one folder that share a name.
type Entry struct {
	Path string // of the JSON
	Meta
	Arguments []Argument // that the machine code takes, nil where the cache does not say
	Numbers   map[int64]bool
}

// Meta is what Triton writes beside machine code.
type Meta struct {
	Name      string `json:"name"`
	Hash      string `json:"hash"`
	NumWarps  int64  `json:"num_warps"`
	NumStages int64  `json:"num_stages"`
	NumCTAs   int64  `json:"num_ctas"`
	Shared    int64  `json:"shared"`              // bytes of dynamic shared memory
	Scratch   int64  `json:"global_scratch_size"` // bytes of a program
	Target    struct {
		Backend string `json:"backend"`
		Arch    any    `json:"arch"`
	} `json:"target"`
}

// most is how many files a cache may have, and maxJSON how long one with what is written beside machine code.
const (
	most    = 200_000
	maxJSON = 1 << 20
)

// beside is the path of the file that stands beside the JSON with another ending.
func (e *Entry) beside(ending string) string { return strings.TrimSuffix(e.Path, ".json") + ending }

// options are what tells configurations apart that is no constexpr, by the names that they have in descriptions.
func (e *Entry) options() map[string]int64 {
	return map[string]int64{"num_warps": e.NumWarps, "num_stages": e.NumStages, "num_ctas": e.NumCTAs}
}

// optionNames are the options in the order in which they are shown.
var optionNames = []string{"num_warps", "num_stages", "num_ctas"}

// ReadCache lists the kernels for NVIDIA's GPUs in a cache, by name and then by path.
func ReadCache(folder string) (all []*Entry, err error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, failure("there is no folder %s", folder).WithHint("Triton's cache is ~/.triton/cache, or what TRITON_CACHE_DIR names; --triton names another")
	}
	files := 0
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if files++; files > most {
			return failure("%s has more than %d files", folder, most)
		}
		if d.IsDir() || filepath.Ext(path) != ".json" || strings.HasPrefix(d.Name(), "__grp__") {
			return nil
		}
		e, err := readEntry(path)
		if e != nil {
			all = append(all, e)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b *Entry) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path)) })
	if len(all) == 0 {
		return nil, failure("%s has no kernel for NVIDIA's GPUs", folder).WithHint("a cache has folders with NAME.json and NAME.cubin in them")
	}
	return all, nil
}

// readEntry reads a kernel by its JSON; nil where that is something else.
func readEntry(path string) (*Entry, error) {
	text, err := bounded.ReadFile(path, maxJSON)
	if err != nil {
		return nil, err
	}
	e := &Entry{Path: path}
	if err := json.Unmarshal(text, &e.Meta); err != nil {
		return nil, failure("%s cannot be read: %v", path, err)
	}
	if e.Name == "" || e.NumWarps == 0 || e.Target.Backend != "" && e.Target.Backend != "cuda" {
		return nil, nil
	}
	if e.code() == "" {
		return nil, nil // it was compiled for another backend, or is being written
	}
	e.NumCTAs = max(e.NumCTAs, 1)
	for _, ending := range []string{".ttir", ".source"} {
		ir, err := os.ReadFile(e.beside(ending))
		if err == nil && len(e.Arguments) == 0 {
			e.Arguments, e.Numbers = signature(string(ir), e.Name), numbers(string(ir))
		}
	}
	return e, nil
}

// code is the path of the machine code: a listing, as nvdisasm prints it, or the cubin.
func (e *Entry) code() string {
	for _, ending := range []string{".sass", ".cubin"} {
		if _, err := os.Stat(e.beside(ending)); err == nil {
			return e.beside(ending)
		}
	}
	return ""
}

// failure is an error of a file or a folder as a whole.
func failure(format string, args ...any) *source.Error {
	return source.At("", "", source.Pos{}, format, args...)
}

// short is the beginning of a hash, or else the folder.
func (e *Entry) short() string {
	if e.Hash == "" {
		return filepath.Base(filepath.Dir(e.Path))
	}
	return e.Hash[:min(len(e.Hash), 12)]
}

// is tells whether text is the beginning of the hash, or names the folder in the cache.
func (e *Entry) is(text string) bool {
	return text != "" && (strings.HasPrefix(e.Hash, text) || filepath.Base(filepath.Dir(e.Path)) == text)
}

func (e *Entry) String() string {
	return fmt.Sprintf("%s (%d warps, %d stages)", e.short(), e.NumWarps, e.NumStages)
}
