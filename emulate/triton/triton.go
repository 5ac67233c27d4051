// Package triton ranks the configurations that Triton has compiled of a kernel, by their machine code.
//
// [ReadCache] finds the kernels in a cache of Triton's (cache.go), and which arguments their machine code takes (signature.go). A description, a YAML
// file, says what is launched: the arguments by their names in Python, the grid, and the constexprs of each configuration, which a cache does not
// hold (file.go). Each configuration becomes a launch file, made of the nodes of the description, so that errors are told at their places
// (launch.go). [Description.Rank] emulates them, and Ranking writes the result (rank.go, text.go).
package triton

import (
	"os"
	"path/filepath"
	"slices"

	"gpuperf/internal/yamlfile"
)

// Version is the version of the format of descriptions.
const Version = 1

// keys are those of a description.
var keys = []string{"version", "triton", "kernel", "sizes", "grid", "args", "configurations", "assume"}

// Description is what a file says of a kernel and its launch.
type Description struct {
	Path string

	root, kernel, sizes, grid, args, assume *yamlfile.Node
	cache                                   string
	configurations                          []configuration
	own                                     bool // whether the file lists configurations
}

// configuration is one of those that a description lists, or an entry of the cache where it lists none.
type configuration struct {
	node   *yamlfile.Node
	values []value
	grid   *yamlfile.Node // nil is that of the description
	hash   string
	// optionsOnly is set where no machine code has the numbers of the configuration in its IR.
	optionsOnly bool
}

// value is a constexpr or an option.
type value struct {
	name, text string
	number     int64
	isNumber   bool
	node       *yamlfile.Node
}

// Is reports whether a file is a description, which is no launch file.
func Is(path string) bool {
	if !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)) {
		return false
	}
	root, err := yamlfile.Load(path, yamlfile.Parse)
	if err != nil || root.Get("source") != nil || root.Get("listing") != nil {
		return false
	}
	args := root.Get("args")
	return root.Get("triton") != nil || root.Get("configurations") != nil || args != nil && args.Kind == yamlfile.Map
}

// Load reads a description.
func Load(path string) (*Description, error) { return yamlfile.Load(path, Parse) }

// Parse reads the text of a description. Errors are *source.Error.
func Parse(path string, text []byte) (*Description, error) {
	root, err := yamlfile.Parse(path, text)
	if err != nil {
		return nil, err
	}
	f, err := yamlfile.Format{Name: "description of a Triton kernel", Version: Version, Keys: keys}.Fields(root)
	if err != nil {
		return nil, err
	}
	d := &Description{Path: path, root: root, kernel: f["kernel"], sizes: f["sizes"], grid: f["grid"], args: f["args"], assume: f["assume"]}
	if n := f["triton"]; n != nil {
		if d.cache, err = n.String(); err != nil {
			return nil, err
		}
		if !filepath.IsAbs(d.cache) {
			d.cache = filepath.Join(filepath.Dir(path), d.cache)
		}
	}
	if d.args == nil {
		return nil, root.Errorf("the description has no args").WithHint("write args: {x: {size: n}, n: n}, with the names of the kernel's parameters")
	}
	if _, err := d.args.Pairs(); err != nil {
		return nil, err
	}
	return d, d.readConfigurations(f["configurations"])
}

// Cache is the folder of the cache: the one that is given, that of the description, or where Triton has it.
func (d *Description) Cache(given string) string {
	if given != "" {
		return given
	}
	if d.cache != "" {
		return d.cache
	}
	return DefaultCache()
}

// DefaultCache is the folder where Triton has its cache.
func DefaultCache() string {
	if folder := os.Getenv("TRITON_CACHE_DIR"); folder != "" {
		return folder
	}
	home, _ := os.UserHomeDir() // without one the cache is looked for here
	return filepath.Join(home, ".triton", "cache")
}
