package emulatetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// Development reads a list of launches, with the machine code that a file of launches has of them. Those that it has none of are left out: they
// were not recorded yet. What it has read once it has for all.
func Development(list, path string) ([]Kernel, error) {
	read, _ := lists.LoadOrStore([2]string{list, path}, sync.OnceValues(func() ([]Kernel, error) { return development(list, path) }))
	all, err := read.(func() ([]Kernel, error))()
	return slices.Clone(all), err
}

var lists sync.Map

func development(list, path string) (all []Kernel, err error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	functions := map[string]*sass.Function{}
	if path != "" {
		err = programs(path, func(p *program) error {
			f, err := p.function()
			functions[p.Source] = f
			return err
		})
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
		k, err := kernel(filepath.Dir(list), line)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", list, line, err)
		}
		k.Kind, k.Function = kind, functions[k.Name]
		if k.Function != nil || path == "" {
			all = append(all, k)
		}
	}
	return all, nil
}

// kernel reads a line: a launch file, and the sizes after -p.
func kernel(folder, line string) (k Kernel, err error) {
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
	file, err := launchfile.Load(filepath.Join(folder, filepath.Base(fields[0])))
	if err != nil {
		return k, err
	}
	k.Job, err = file.Emulated(k.Sizes)
	return k, err
}
