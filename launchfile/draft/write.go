package draft

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gpuperf/kernel/expr"
)

// Base is the name of the kernel in its source.
func (k Kernel) Base() string { return base(k.Name) }

// Guesses, where nothing is known.
var (
	blocks   = [][]int64{{256}, {16, 16}, {8, 8, 4}} // by the dimensions of the ND-range
	extents  = []int64{1 << 20, 1 << 10, 1 << 7}     // of each of one to three sizes that an array has
	smallest = int64(1 << 5)                         // of more
	settings = []struct {                            // integers that are no sizes, by their names
		name  *regexp.Regexp
		value string
	}{
		{regexp.MustCompile(`(?i)^(inc|stride|step)`), "1"},
		{regexp.MustCompile(`(?i)^(offset|shift|start|begin|first|seed|flag|mode)`), "0"},
	}
)

const (
	unknownLanes = 16    // numbers of four bytes for an element that is not known
	float        = "1.5" // a value in floating point
)

// plain are paths that YAML needs no quotes around.
var plain = regexp.MustCompile(`^[\w./+-]+$`)

// Create writes the launch file. It overwrites nothing: the error is then fs.ErrExist.
func (k Kernel) Create(path string) error {
	var text bytes.Buffer
	if err := k.Write(&text, filepath.Dir(path)); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w; nothing was written", path, fs.ErrExist)
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// Write writes the text of the launch file, which is to lie in a folder.
func (k Kernel) Write(w io.Writer, folder string) error {
	file, fill := k.file, ""
	if file == "" {
		file, fill = k.Base()+".cu", "fill in the file with the kernel"
	} else if near, err := filepath.Rel(folder, file); err == nil {
		file = near
	}
	out := &lines{}
	out.add(fmt.Sprintf("# A launch of %s. What a comment calls a guess is for you to check; perf help launch explains the keys.", k.Base()), "")
	out.add("version: 1", "")
	if !plain.MatchString(file) {
		file = strconv.Quote(file)
	}
	out.add("source: "+file, fill)
	out.add("kernel: "+k.Name, strings.Join(k.Notes, "; "))
	s := k.sizes()
	from := "guess"
	if k.Launch != nil && len(k.Launch.Given) > 0 {
		from = "as the source has them where it tells"
	}
	out.add("sizes: {"+strings.Join(s.given, ", ")+"}", from+"; -p gives others")
	origin, block := "as the file asks", k.Block
	switch {
	case block == nil:
		origin, block = "guess", k.block()
	case k.Grid != nil:
		origin = "as recorded"
	}
	if k.Grid == nil && k.Launch != nil {
		var along []string
		for d := range k.Dims {
			along = append(along, "1")
			if d < len(k.Launch.Grid) {
				along[d] = division(k.Launch.Grid[d])
			}
		}
		out.add("grid: ["+strings.Join(along, ", ")+"]", "work-groups, as the source launches it; division rounds down")
	} else if k.Grid == nil {
		out.add("grid: ["+strings.Join(k.grid(s.names, block), ", ")+"]", "guess: a work-item for each element; division rounds down")
	} else {
		out.add("grid: "+list(k.Grid), "work-groups, as recorded")
	}
	out.add("block: "+list(block), "work-items of each, "+origin)
	if k.Dynamic != "" {
		out.add(fmt.Sprintf("shared: %d * %d", bytesOf(k.Dynamic), product(block)), "bytes of dynamic shared memory; guess: an element for each work-item")
	}
	if len(k.Params) > 0 {
		out.add("args:", "in the order of the parameters")
	}
	for _, p := range k.Params {
		text, note := p.argument(s, product(block))
		if note != "" {
			note = ": " + note
		}
		out.add("  "+text, p.Text+note)
	}
	out.add("# expect: {kernel: REFERENCE, source: FILE, grid: [1], block: [1], tolerance: 1e-5}", "a kernel whose results are right; or files: perf help launch expect")
	return out.write(w)
}

// sizes are those of the launch file.
type sizes struct {
	names []string
	of    map[string]string // by parameter
	given []string          // with their values
	all   string            // the product, which the elements of a buffer are
	bytes map[string]string // of buffers, by parameter, as the source allocates them
}

// elements are those of a buffer that the source allocates; "" where it does not show.
func (s *sizes) elements(p *Param) string {
	text, each := division(s.bytes[p.Name]), strconv.FormatInt(bytesOf(p.Type), 10)
	switch whole, is := strings.CutSuffix(text, " * "+each+")"); {
	case text == "" || p.Type == "":
		return ""
	case is && strings.HasPrefix(whole, "("):
		return whole[1:]
	}
	return text + " / " + each
}

// sizes are the integers that are passed, or else those in a structure, as far as their names do not say otherwise; n where there are none.
func (k Kernel) sizes() sizes {
	s := sizes{of: map[string]string{}}
	if k.Launch != nil && len(k.Launch.Sizes) > 0 {
		return k.launchSizes()
	}
	s.add(k.Params)
	for _, p := range k.Params {
		if p.Kind == Value && len(s.names) == 0 {
			s.add(p.Members)
		}
	}
	if len(s.names) == 0 {
		s.names = []string{"n"}
	}
	factors := slices.Clone(s.names)
	for len(factors) < k.Dims {
		factors = append(factors, factors[0])
	}
	value := smallest
	switch {
	case len(factors) == 1 && k.Grid != nil:
		value = k.Grid[0] * k.Block[0]
	case len(factors) <= len(extents):
		value = extents[len(factors)-1]
	}
	for _, name := range s.names {
		s.given = append(s.given, fmt.Sprintf("%s: %d", name, value))
	}
	s.all = strings.Join(factors, " * ")
	return s
}

// launchSizes are those of the launch of the host code, with the values that they have there.
func (k Kernel) launchSizes() sizes {
	s := sizes{of: map[string]string{}, bytes: k.Launch.Bytes}
	for _, name := range k.Launch.Sizes {
		value, known := k.Launch.Given[name]
		if !known || value < 1 {
			value = smallest
		}
		if !expr.IsName(name) || name == "step" {
			continue
		}
		s.names = append(s.names, name)
		s.given = append(s.given, fmt.Sprintf("%s: %d", name, value))
		s.of[name] = name
	}
	for name, text := range k.Launch.Args {
		s.of[name] = division(text)
	}
	s.all = strings.Join(s.names, " * ")
	if grid := strings.Join(k.Launch.Grid, " * "); !strings.ContainsFunc(grid, unicode.IsLetter) { // a work-item for each element
		s.all = fmt.Sprintf("%s * %d", division(grid), product(k.block()))
		if k.Launch.Block != nil {
			s.all = fmt.Sprintf("%s * %d", division(grid), product(k.Launch.Block))
		}
	}
	return s
}

// division writes quotients as launch files do.
func division(text string) string { return strings.ReplaceAll(text, "//", "/") }

// add makes sizes of the integers among parameters, or members of a structure.
func (s *sizes) add(params []Param) {
	for _, p := range params {
		if !p.isSize() || p.setting() != "" {
			continue
		}
		name := p.Name
		if !expr.IsName(name) || name == "step" {
			name += "_"
		}
		s.names, s.of[p.Name] = append(s.names, name), name
	}
}

// setting is the value of an integer whose name says that it is no size, "" for others.
func (p Param) setting() string {
	for _, s := range settings {
		if s.name.MatchString(p.Name) {
			return s.value
		}
	}
	return ""
}

func (k Kernel) block() []int64 {
	block := slices.Clone(blocks[k.Dims-1])
	for i := range block {
		if k.Most > 0 && product(block) > k.Most {
			block[i] = max(1, block[i]*k.Most/product(block))
		}
	}
	return block
}

// grid has a work-item for each element, in one dimension of all sizes together. In several they are of the first sizes, the last of these
// along the first axis, as in rows and columns, or m, n and k of a product.
func (k Kernel) grid(names []string, block []int64) (grid []string) {
	along := []string{strings.Join(names, " * ")}
	if k.Dims > 1 {
		along = nil
		for d := range k.Dims {
			along = append(along, names[max(0, min(len(names), k.Dims)-1-d)])
		}
		if guarded := k.Along[:k.Dims]; !slices.ContainsFunc(guarded, func(n string) bool { return !slices.Contains(names, n) }) {
			along = slices.Clone(guarded)
		}
	}
	for d, n := range along {
		grid = append(grid, fmt.Sprintf("(%s + %d) / %d", n, block[d]-1, block[d]))
	}
	return grid
}

// argument is a parameter as an argument, and what is to be said of it.
func (p Param) argument(s sizes, items int64) (text, note string) {
	lanes := p.Lanes
	if lanes == 3 && p.Members == nil {
		lanes = 4 // of a vector type
	}
	zeros := lanes * bytesOf(p.Type)
	if p.Type == "" {
		zeros = p.Bytes
	}
	switch {
	case p.Kind == Local:
		return fmt.Sprintf("- {local: %s, size: %s}", cmp.Or(p.Type, "float32"), times(lanes, strconv.FormatInt(items, 10))), "guess: an element for each work-item"
	case p.Kind == Pointer:
		note = "guess: " + strings.ReplaceAll(s.all, " * ", "·") + " elements"
		if p.Type == "" {
			p.Type, lanes, note = "float32", unknownLanes, "guess: room for elements of 64 bytes, whose type is not known"
		}
		restore := ""
		if p.Const {
			restore = ", restore: false"
		}
		size := times(lanes, s.all)
		if allocated := s.elements(&p); allocated != "" {
			size, note = allocated, "as the source allocates it"
		}
		return fmt.Sprintf("- {buffer: %s, dtype: %s, size: %s%s}", p.Name, p.Type, size, restore), note
	case p.Members != nil:
		var members []string
		for _, m := range p.Members {
			text, _ := m.argument(s, items)
			members = append(members, strings.TrimPrefix(text, "- "))
		}
		return "- {struct: [" + strings.Join(members, ", ") + "]}", "guess"
	case p.Type == "" && p.Bytes == 0:
		return "- {struct: [{int32: 0}]}", "fill in its members"
	case p.Type == "" || lanes > 1 || p.Type == "float16":
		return fmt.Sprintf("- {hex: %q}", strings.Repeat("00", int(zeros))), "fill in, or write {struct: [...]}"
	case isFloat(p.Type):
		return fmt.Sprintf("- {%s: %s}", p.Type, float), "guess"
	}
	value := cmp.Or(s.of[p.Name], p.setting())
	if value == "" {
		value, note = "1", "guess"
	}
	return fmt.Sprintf("- {%s: %s}", p.Type, value), note
}

// times multiplies a number of elements by lanes.
func times(lanes int64, elements string) string {
	if lanes == 1 {
		return elements
	}
	return fmt.Sprintf("%d * %s", lanes, elements)
}

func list(numbers []int64) string { return strings.ReplaceAll(fmt.Sprint(numbers), " ", ", ") }

func product(numbers []int64) int64 {
	p := int64(1)
	for _, n := range numbers {
		p *= n
	}
	return p
}

// bytesOf is the size of a type as launch files name it.
func bytesOf(dtype string) int64 {
	bits, err := strconv.ParseInt(strings.TrimLeft(dtype, "abcdefghijklmnopqrstuvwxyz"), 10, 64)
	if err != nil {
		return 4
	}
	return bits / 8
}

// lines are those of a file, with comments behind them that are set below one another.
type lines struct{ text, comment []string }

func (l *lines) add(text, comment string) {
	l.text, l.comment = append(l.text, text), append(l.comment, comment)
}

func (l *lines) write(w io.Writer) error {
	const most = 60 // longer lines do not move the comments of all
	width := 0
	for i, text := range l.text {
		if l.comment[i] != "" && len(text) <= most {
			width = max(width, len(text))
		}
	}
	for i, text := range l.text {
		if l.comment[i] != "" {
			text = fmt.Sprintf("%-*s  # %s", width, text, l.comment[i])
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}
