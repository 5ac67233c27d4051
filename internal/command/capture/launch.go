package capture

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/cname"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
)

// write writes the launch files of the journals in a folder. It returns also the files that it has written.
func write(journals string, o Options) (Result, []*file, error) {
	all, err := readJournals(journals)
	result := Result{Folder: o.Folder, Kernels: []*Kernel{}}
	if err != nil {
		return result, nil, err
	}
	w := writer{options: o, taken: map[string]bool{}}
	for _, j := range all {
		counts, took := j.counts()
		kernels := map[int64]*Kernel{}
		for i, e := range j.events {
			k := kernels[e.ID]
			switch {
			case e.Event == "kernel" && e.Wanted:
				k = &Kernel{Name: e.Kernel, Plain: e.Plain, Launches: counts[way{id: e.ID}], on: e.Interface}
				k.Why = "it was launched fewer than " + format.Count(max(o.Launch, 1), "time")
				kernels[e.ID] = k
				result.Kernels = append(result.Kernels, k)
			case e.Event == "launch":
				if k.number > 0 { // it was launched in another way before
					k = &Kernel{Name: k.Name, Plain: k.Plain, on: k.on}
					result.Kernels = append(result.Kernels, k)
				}
				k.number, k.Launches, k.took = e.Number, counts[way{e.ID, e.Number}], took[way{e.ID, e.Way}]
				if o.Launch > 0 {
					k.Launches = counts[way{id: e.ID}]
				}
				if err := w.launch(j.before(i), e, k); err != nil {
					return result, nil, err
				}
			}
		}
	}
	return result, w.files, result.check(all, o)
}

// check is the error of a capture that has brought nothing.
func (r Result) check(all []journal, o Options) error {
	var problems, names []string
	for _, j := range all {
		problems = append(problems, j.problems()...)
		for _, e := range j.of("kernel") {
			names = append(names, cname.Base(e.Plain))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case slices.ContainsFunc(r.Kernels, func(k *Kernel) bool { return k.File != "" }):
		return nil
	case len(r.Kernels) > 0:
		return fmt.Errorf("nothing was captured: of %s, %s", r.Kernels[0].Short(), r.Kernels[0].Why)
	case len(problems) > 0:
		return errors.New(problems[0])
	case len(names) > 0:
		return fmt.Errorf("no kernel matches --kernel %s\n    there are: %s", o.Kernel, format.First(names, 20))
	}
	return fmt.Errorf("%s has launched no kernel through CUDA's driver, nor through libOpenCL as a linked library", o.Command[0])
}

// writer writes launch files.
type writer struct {
	options Options
	taken   map[string]bool // names of launch files
	files   []*file         // that were written
}

// launch writes one launch.
func (w *writer) launch(j journal, e event, k *Kernel) error {
	f := &file{journal: j, event: e, kernel: k, name: w.name(k, e.Number), folder: w.options.Folder, kept: map[int]bool{}, all: w.options.Contents > 0 && w.options.Decides == nil}
	for i, m := range f.Memory {
		f.kept[i] = m.File != "" && w.options.Decides == nil
	}
	path := filepath.Join(f.folder, f.name+".yaml")
	if err := replace.Captured.Check(path, nil); err != nil {
		k.Why = err.Error()
		return nil
	}
	k.File, k.Why = path, ""
	err := f.write(w.options)
	if why := new(unable); errors.As(err, &why) {
		k.File, k.Why = "", why.why
		return nil
	}
	w.files = append(w.files, f)
	return err
}

// write writes the launch file, with what memory held as far as it is kept.
func (f *file) write(o Options) error {
	f.lines = nil
	text, err := f.text(o)
	if err != nil {
		return err
	}
	return replace.Bytes(f.kernel.File, []byte(text))
}

var notName = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// name is that of a launch file: the kernel's and the number of the launch. Instances of a template are numbered.
func (w *writer) name(k *Kernel, number int64) string {
	const longest = 60 // characters of a file's name: what folders show
	base := notName.ReplaceAllString(k.Short(), "_")
	base = cmp.Or(base[:min(len(base), longest)], "kernel")
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name += "_" + strconv.Itoa(i)
		}
		name += "-" + strconv.FormatInt(number, 10)
		if !w.taken[name] {
			w.taken[name] = true
			return name
		}
	}
}

// file is a launch file that is being written.
type file struct {
	event
	journal journal
	kernel  *Kernel
	name    string // of the launch file
	folder  string
	kept    map[int]bool // the memory whose contents are kept
	all     bool         // whether that of all memory should be
	names   []string     // of the memory
	named   []bool       // whether the memory has been described
	lines   []string
}

func (f *file) line(format string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

// text is the launch file.
func (f *file) text(o Options) (_ string, err error) {
	defer throw.Catch(&err)
	f.line("# Launch %d of %s", f.Number, f.kernel.Plain)
	f.line("# by %s on %s, %s", commandLine(o.Command), f.Device, replace.CapturedComment)
	f.line("version: 1")
	if f.kernel.Launches > 0 && o.Launch == 0 {
		f.line("launches: %d", f.kernel.Launches)
	}
	above := len(f.lines)
	write := f.cuda
	if f.kernel.on == "opencl" {
		write = f.opencl
	}
	throw.If(write())
	f.args()
	f.globals()
	f.lines = slices.Insert(f.lines, above, f.application()...)
	return strings.Join(f.lines, "\n") + "\n", nil
}

// application says how long these launches took in the application, and where buffers lay there.
func (f *file) application() []string {
	t := f.kernel.took
	if t.Timed == 0 {
		return nil
	}
	each := lists.Map(t.Each, seconds)
	cold := ""
	if f.Way == 1 || t.Copied { // the code of the kernel was loaded for the first
		cold = ", cold: true"
	}
	began := ""
	if t.Starts != nil {
		began = ", starts: [" + strings.Join(lists.Map(t.Starts, func(ns int64) string { return seconds(ns - t.began) }), ", ") + "]"
	}
	return []string{fmt.Sprintf("application: {seconds: [%s], timed: %d, total: %s%s, stream: %d, order: %d%s%s}",
		strings.Join(each, ", "), t.Timed, seconds(t.Total), cold, t.Stream, t.Order, began, f.addresses())}
}

// addresses says where buffers lay: in all launches, or in some, one after the other, over and over.
func (f *file) addresses() string {
	places := f.kernel.took.Places
	if !slices.ContainsFunc(places, func(one []int64) bool { return len(one) == len(f.Memory) }) {
		places = [][]int64{lists.Map(f.Memory, func(m memory) int64 { return m.Address })}
	}
	var all []string
	for _, one := range places {
		var lie []string
		for i, at := range one {
			if f.names[i] != "" && at > 0 {
				lie = append(lie, fmt.Sprintf("%s: %d", f.names[i], at))
			}
		}
		if lie == nil {
			return ""
		}
		all = append(all, "{"+strings.Join(lie, ", ")+"}")
	}
	if len(all) == 1 {
		return ", addresses: " + all[0]
	}
	return ", addresses: [" + strings.Join(all, ", ") + "]"
}

// seconds are nanoseconds as YAML has seconds.
func seconds(ns int64) string { return strconv.FormatFloat(float64(ns)/1e9, 'g', -1, 64) }

// commandLine is a command in one line, cut where it is long.
func commandLine(words []string) string {
	const longest = 100 // characters of a comment: a line
	text := []rune(strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	if len(text) > longest {
		return string(text[:longest]) + " ..."
	}
	return string(text)
}

// cuda writes the machine code, and how it was launched.
func (f *file) cuda() (err error) {
	defer throw.Catch(&err)
	image := f.journal.image(f.kernel.Name, f.Handle)
	source := throw.Get(f.keep(image, "module", ".cubin"))
	f.kernel.source = source
	f.line("source: %s", source)
	f.line("kernel: %s", quoted(f.kernel.Name))
	f.line("grid: %s", list(f.Grid))
	f.line("block: %s", list(f.Block))
	if f.Shared > 0 {
		f.line("shared: %d", f.Shared)
	}
	var attributes []string
	if f.Cluster != nil {
		attributes = append(attributes, "cluster: "+list(f.Cluster))
	}
	if f.Cooperative {
		attributes = append(attributes, "cooperative: true")
	}
	if attributes != nil {
		f.line("attributes: {%s}", strings.Join(attributes, ", "))
	}
	return nil
}

// opencl writes the source with its options, and how it was launched.
func (f *file) opencl() (err error) {
	defer throw.Catch(&err)
	if f.File == "" {
		return unablef("its program was made from a binary, and launch files hold OpenCL C")
	}
	source := throw.Get(f.keep(filepath.Join(f.journal.folder, f.File), "program", ".cl"))
	f.line("source: %s", source)
	f.line("kernel: %s", quoted(f.kernel.Name))
	f.buildOptions()
	local, chosen := f.Local, ""
	if local == nil {
		local, chosen = slices.Clone(f.Global), "   # the application left it to the driver"
		left := int64(256)
		for i, n := range local {
			local[i] = divisor(n, left)
			left /= local[i]
		}
	}
	groups := slices.Clone(f.Global)
	for i := range groups {
		if groups[i]%local[i] != 0 {
			return unablef("its work-groups are not all of one size: %v work-items in groups of %v", f.Global, local)
		}
		groups[i] /= local[i]
	}
	f.line("grid: %s", list(groups))
	f.line("block: %s%s", list(local), chosen)
	if slices.ContainsFunc(f.Begin, func(n int64) bool { return n != 0 }) {
		f.line("attributes: {begin: %s}", list(f.Begin))
	}
	return nil
}

// divisor is the largest divisor of n that is at most so many.
func divisor(n, most int64) int64 {
	d := min(n, most)
	for n%d != 0 {
		d--
	}
	return d
}

// buildOptions writes the options of the program, and folders of headers apart.
func (f *file) buildOptions() {
	var options, include []string
	words := strings.Fields(f.Options)
	for i := 0; i < len(words); i++ {
		folder, ok := strings.CutPrefix(words[i], "-I")
		switch {
		case words[i] == "-cl-kernel-arg-info": // which the library has added
			continue
		case !ok:
			options = append(options, strconv.Quote(words[i]))
			continue
		case folder == "" && i+1 < len(words):
			i++
			folder = words[i]
		}
		folder = throw.Get(filepath.Abs(folder))
		include = append(include, strconv.Quote(folder))
	}
	for i, values := range [][]string{options, include} {
		if values != nil {
			f.line("%s: [%s]", []string{"options", "include"}[i], strings.Join(values, ", "))
		}
	}
}

// keep copies a file of the journal beside the launch file, under a name of its own contents, and returns the name.
func (f *file) keep(path, kind, extension string) (string, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(bytes)
	name := kind + "-" + hex.EncodeToString(sum[:4]) + extension
	to := filepath.Join(f.folder, name)
	if err := replace.Copy.Check(to, bytes); err != nil {
		return "", unablef("%v", err)
	}
	return name, replace.Bytes(to, bytes)
}

func list(n []int64) string {
	return "[" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(n)), ", "), "[]") + "]"
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// quoted is a name as YAML.
func quoted(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}
