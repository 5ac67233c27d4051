package emulatetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"gpuperf/launchfile"
	"gpuperf/sass"
)

// Kernel is a launch of the development set: a line of testdata/emulate/choose.txt or report.txt.
type Kernel struct {
	Kind  string // the heading that it stands under
	Name  string // the launch file, without its folder and ending
	Line  string // its arguments, as perf has them
	Sizes map[string]int64
	Launch
}

// Development reads a list of launches, with the machine code that a file of launches has of them: those that are kept, by their number and what their lines say; nil keeps all. Those
// that there is no code of are left out, and not numbered: they were not recorded yet. What it has read once it has for all.
func Development(list, path string, keep func(i int, k Kernel) bool) (all []Kernel, err error) {
	read, _ := lists.LoadOrStore([2]string{list, path}, sync.OnceValues(func() ([]recorded, error) { return development(list, path) }))
	lines, err := read.(func() ([]recorded, error))()
	for i := 0; i < len(lines) && err == nil; i++ {
		k := lines[i].said
		if keep != nil && !keep(i, k) {
			continue
		}
		if k, err = lines[i].load(); err != nil {
			err = fmt.Errorf("%s: %s: %w", list, lines[i].said.Line, err)
		}
		all = append(all, k)
	}
	return all, err
}

var lists sync.Map

// recorded is a launch that has not been read yet, but for its line.
type recorded struct {
	said Kernel
	load func() (Kernel, error)
}

func development(list, path string) (all []recorded, err error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	functions := map[string]func() (*sass.Function, error){}
	if path != "" {
		functions, err = functionsOf(path)
	}
	if err != nil {
		return nil, err
	}
	kind := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "#"); ok {
			kind = strings.TrimSpace(heading)
		}
		if line == "" || line[0] == '#' {
			continue
		}
		k, err := kernel(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", list, line, err)
		}
		k.Kind = kind
		code := functions[k.Name]
		if code == nil && path != "" {
			continue
		}
		all = append(all, recorded{k, sync.OnceValues(func() (Kernel, error) { return k.loaded(filepath.Dir(list), code) })})
	}
	return all, nil
}

// functionsOf are the functions of a file of launches by the names of their launch files, each to be read when it is wanted.
func functionsOf(path string) (map[string]func() (*sass.Function, error), error) {
	functions := map[string]func() (*sass.Function, error){}
	err := lines(path, func(line []byte) error {
		var p program
		name, err := nameIn(line)
		functions[name] = sync.OnceValues(func() (*sass.Function, error) {
			if err := json.Unmarshal(line, &p); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			return p.function()
		})
		return err
	})
	return functions, err
}

// nameIn is the source that a line of a file of launches begins with.
func nameIn(line []byte) (name string, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	for range 2 { // the brace, and "source"
		if _, err = d.Token(); err != nil {
			return "", err
		}
	}
	return name, d.Decode(&name)
}

// loaded is the kernel with its launch file and its machine code.
func (k Kernel) loaded(folder string, code func() (*sass.Function, error)) (Kernel, error) {
	file, err := launchfile.Load(filepath.Join(folder, filepath.Base(strings.Fields(k.Line)[0])))
	if err != nil {
		return k, err
	}
	if k.Job, err = file.Emulated(k.Sizes); err != nil || code == nil {
		return k, err
	}
	k.Function, err = code()
	return k, err
}

// kernel reads a line: a launch file, and the sizes after -p.
func kernel(line string) (k Kernel, err error) {
	fields := strings.Fields(line)
	k = Kernel{Name: strings.TrimSuffix(filepath.Base(fields[0]), ".yaml"), Line: line, Sizes: map[string]int64{}}
	for _, field := range fields[1:] {
		if field == "-p" {
			continue
		}
		for _, size := range strings.Split(field, ",") {
			name, number, _ := strings.Cut(size, "=")
			if k.Sizes[name], err = strconv.ParseInt(number, 10, 64); err != nil {
				return k, err
			}
		}
	}
	return k, nil
}
