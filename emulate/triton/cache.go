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
	"gpuperf/internal/format"
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
	Target    target `json:"target"`
}

// needed are the keys of Meta that emulation cannot do without.
var needed = []string{"name", "num_warps", "shared"}

// target is what code was compiled for: an object, or a list in caches of older versions.
type target struct{ Backend string }

func (t *target) UnmarshalJSON(text []byte) error {
	var list []any
	if json.Unmarshal(text, &list) == nil {
		if len(list) > 0 {
			t.Backend, _ = list[0].(string)
		}
		return nil
	}
	var object struct {
		Backend string `json:"backend"`
	}
	err := json.Unmarshal(text, &object)
	t.Backend = object.Backend
	return err
}

// Cache is the kernels for NVIDIA's GPUs in a folder, by name and then by path, and what is left out of it.
type Cache struct {
	Entries []*Entry
	Left    []Left
}

// Left is a file of a kernel that is left out, and why.
type Left struct{ Path, Why string }

func (l Left) String() string { return l.Path + " is left out: " + l.Why }

func (l Left) name() string { return strings.TrimSuffix(filepath.Base(l.Path), filepath.Ext(l.Path)) }

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

// ReadCache lists the kernels for NVIDIA's GPUs in a cache.
func ReadCache(folder string) (*Cache, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, failure("there is no folder %s", folder).WithHint("Triton's cache is ~/.triton/cache, or what TRITON_CACHE_DIR names; --triton names another")
	}
	c, files := &Cache{}, 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if files++; files > most {
			return failure("%s has more than %d files", folder, most)
		}
		if d.IsDir() || strings.HasPrefix(d.Name(), "__grp__") {
			return nil
		}
		return c.add(path)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(c.Entries, func(a, b *Entry) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path)) })
	if len(c.Entries) == 0 {
		hint := "a cache has folders with NAME.json and NAME.cubin in them"
		if len(c.Left) > 0 {
			hint = c.left("")
		}
		return nil, failure("%s has no kernel for NVIDIA's GPUs", folder).WithHint("%s", hint)
	}
	return c, nil
}

// left says what is left out of a kernel, or of all for "".
func (c *Cache) left(kernel string) string {
	var list []string
	for _, l := range c.Left {
		if kernel == "" || l.name() == kernel {
			list = append(list, l.String())
		}
	}
	return format.First(list, 2)
}

// add adds the kernel whose JSON, or machine code without one, is a file.
func (c *Cache) add(path string) error {
	e := &Entry{Path: strings.TrimSuffix(path, filepath.Ext(path)) + ".json"}
	leave := func(format string, args ...any) error {
		c.Left = append(c.Left, Left{path, fmt.Sprintf(format, args...)})
		return nil
	}
	switch filepath.Ext(path) {
	case ".cubin":
		if _, err := os.Stat(e.Path); err != nil {
			return leave("there is no %s beside it, which says how many warps it has", filepath.Base(e.Path))
		}
		return nil
	case ".json":
	default:
		return nil
	}
	text, err := bounded.ReadFile(path, maxJSON)
	if err != nil {
		return err
	}
	var keys map[string]json.RawMessage
	if err = json.Unmarshal(text, &keys); err == nil {
		err = json.Unmarshal(text, &e.Meta)
	}
	code := e.code()
	switch missing := slices.IndexFunc(needed, func(k string) bool { return keys[k] == nil }); {
	case code == "" && (err != nil || missing >= 0): // of something else
		return nil
	case err != nil:
		return failure("%s cannot be read: %v", path, err).WithHint("it should be an object that says name, num_warps and shared of %s", filepath.Base(code))
	case e.Target.Backend != "" && e.Target.Backend != "cuda":
		return leave("it was compiled for %s", e.Target.Backend)
	case code == "":
		return leave("there is neither a cubin nor a listing beside it")
	case missing >= 0:
		return leave("it has no key %s, as what Triton 3.6 writes has", needed[missing])
	}
	e.NumCTAs = max(e.NumCTAs, 1)
	for _, ending := range []string{".ttir", ".source"} {
		ir, err := os.ReadFile(e.beside(ending))
		if err == nil && len(e.Arguments) == 0 {
			e.Arguments, e.Numbers = signature(string(ir), e.Name), numbers(string(ir))
		}
	}
	c.Entries = append(c.Entries, e)
	return nil
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
	return fmt.Sprintf("%s (%s, %s)", e.short(), format.Count(int(e.NumWarps), "warp"), format.Count(int(e.NumStages), "stage"))
}
