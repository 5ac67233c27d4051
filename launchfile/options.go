package launchfile

import (
	_ "embed"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gpuperf/internal/rows"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
	"gpuperf/samples"
)

// option is an option of a compiler, as options.txt has them.
type option struct {
	names string // without hyphens, those that mean the same
	value value
}

// value is what follows an option, after = or as a word of its own.
type value string

// holds reports whether a text is such a value.
func (v value) holds(text string) bool {
	return regexp.MustCompile(`^(` + string(v) + `)$`).MatchString(text)
}

// values are the kinds of values, as expressions that match all of them.
var values = map[string]value{
	"":             ``,
	"count":        `[0-9]+`,
	"counts":       `[0-9]+(,[0-9]+)*`,
	"truth":        `true|false|on|off`,
	"on":           `(on)?`,
	"level":        `[0-3]`,
	"level4":       `[0-4]`,
	"fast":         `0|min|mid|max`,
	"bits":         `64`,
	"contraction":  `on|off|fast`,
	"errors":       `(all-warnings|cross-execution-space-call|reorder|default-stream-launch|ext-lambda-captures-this|deprecated-declarations)(,[a-z-]+)*`,
	"architecture": `[a-z]+_?[0-9a-z]*(,[a-z]+_?[0-9a-z]*)*`,
	"targets":      `arch=[a-z0-9_]+,code=(\[[a-z0-9_,]+\]|[a-z0-9_,]+)`,
	"dialect":      `(c|gnu)\+\+[0-9a-z]{2}`,
	"caching":      `ca|cg|cs|cv|lu|wb|wt`,
	"assembler":    `.+`, // those of the assembler
	"definition":   definition,
	"macroName":    `[A-Za-z_][A-Za-z0-9_]*`,
	"folderName":   `.+`,
}

const definition value = "[A-Za-z_][A-Za-z0-9_]*(\\([^)\"'`$\\\\]*\\))?(=[^\"'`$\\\\]*)?"

//go:embed options.txt
var optionText string

// optionsOf are the options by the compiler that takes them.
var optionsOf = sync.OnceValue(func() map[string][]option {
	all := map[string][]option{}
	for r := range rows.Of(optionText) {
		v, ok := values[r.At(2)]
		if !ok {
			panic("options.txt: there are no values " + r.At(2))
		}
		all[r[0]] = append(all[r[0]], option{r[1], v})
	}
	return all
})

// openclOwn are options that OpenCL and its extensions reserve for what the compiler does.
var openclOwn = regexp.MustCompile(`^-cl-[a-z0-9-]+(=[A-Za-z0-9_.+]+)?$`)

// macros are the definitions that can be passed.
var macros = regexp.MustCompile(`^-D(` + string(definition) + `)$`)

// joined are the options whose value follows at once.
const joined = "DUIO"

// dangerous are characters that some compilers pass on to a shell or split words at.
const dangerous = "\"'`$\\"

// words reads options one after the other.
type words struct {
	table []option
	cuda  bool
	list  []word
	at    int
}

// word is a word of a file: the list item that it stands in, and where.
type word struct {
	text   string
	item   *yamlfile.Node
	offset int // runes of the item in front of it
}

func (w word) errorf(format string, args ...any) *source.Error {
	return w.item.ErrorIn(w.offset, format, args...)
}

// split takes the words of items apart, which stand one after the other.
func split(items []*yamlfile.Node) (list []word) {
	for _, item := range items {
		rest, offset := item.Text, 0
		for _, text := range strings.Fields(item.Text) {
			before := strings.Index(rest, text)
			offset += len([]rune(rest[:before]))
			list = append(list, word{text, item, offset})
			rest, offset = rest[before+len(text):], offset+len([]rune(text))
		}
	}
	return list
}

// takeOptions reads the options of a program: words for the compiler, in which macros are written as -DNAME=VALUE, and the folders of headers. Those that do
// more than change the code are refused, since a launch file may come from anywhere.
func (p *program) takeOptions(items []*yamlfile.Node) (list []string) {
	w := words{table: optionsOf()["opencl"], cuda: p.kind.on == samples.CUDA, list: split(items)}
	if w.cuda {
		w.table = optionsOf()["cuda"]
	}
	for w.at < len(w.list) {
		first := w.at
		o, v := w.next()
		switch name, _, _ := strings.Cut(o.names, " "); {
		case name == "I":
			dir := w.list[w.at-1]
			p.include = insideFolder(p.include, dir, v)
		case name == "U":
			list = append(undefined(list, v), "-U"+v)
		case name == "D":
			list = append(list, "-D"+v)
		default:
			for _, x := range w.list[first:w.at] {
				list = append(list, x.text)
			}
		}
	}
	return list
}

// undefined leaves out the definitions of a macro.
func undefined(list []string, name string) []string {
	return slices.DeleteFunc(list, func(w string) bool { return w == "-D"+name || strings.HasPrefix(w, "-D"+name+"=") })
}

// insideFolder adds a folder of headers that lies beside the launch file.
func insideFolder(include []*yamlfile.Node, w word, dir string) []*yamlfile.Node {
	if !filepath.IsLocal(dir) {
		panic(throw.Of(w.errorf("-I names a folder outside of that of the launch file: %s", dir).WithHint("list it under include")))
	}
	return append(include, w.item.Put(dir))
}

func (w *words) next() (o option, v string) {
	first := w.list[w.at]
	w.at++
	if at := strings.IndexAny(first.text, dangerous); at >= 0 {
		panic(throw.Of(first.errorf("%s has %q in it, which compilers hand on to others", first.text, first.text[at:at+1]).WithHint("define what needs it in the source")))
	}
	if !w.cuda && openclOwn.MatchString(first.text) {
		return option{names: first.text}, ""
	}
	name, v, given := w.name(first.text)
	i := slices.IndexFunc(w.table, func(o option) bool { return slices.Contains(strings.Fields(o.names), name) })
	if i < 0 {
		panic(throw.Of(w.unknown(first)))
	}
	o = w.table[i]
	if !given && !o.value.holds("") {
		if w.at == len(w.list) {
			panic(throw.Of(first.errorf("%s has no value", first.text)))
		}
		v = w.list[w.at].text
		w.at++
	}
	w.checkValue(o, w.list[w.at-1], v)
	return o, v
}

// name takes a word apart into the name of an option and its value, where that follows in the same word.
func (w *words) name(text string) (name, value string, given bool) {
	short, ok := strings.CutPrefix(text, "-")
	if !ok {
		return "", "", false
	}
	if long, ok := strings.CutPrefix(short, "-"); ok && w.cuda {
		name, value, given = strings.Cut(long, "=")
		return name, value, given
	}
	name, value, given = strings.Cut(short, "=")
	known := slices.ContainsFunc(w.table, func(o option) bool { return slices.Contains(strings.Fields(o.names), name) })
	if len(short) > 1 && strings.ContainsRune(joined, rune(short[0])) && !(known && len(name) > 1) {
		return short[:1], strings.TrimPrefix(short[1:], "="), true
	}
	return name, value, given
}

// checkValue refuses the value of an option that is none of its kind.
func (w *words) checkValue(o option, at word, v string) {
	if i := strings.IndexAny(v, dangerous); i >= 0 {
		panic(throw.Of(at.errorf("%s has %q in it, which compilers hand on to others", v, v[i:i+1]).WithHint("define what needs it in the source")))
	}
	if strings.HasPrefix(o.names, "ptxas-options") {
		assemblers(at, v)
		return
	}
	if !o.value.holds(v) {
		name, _, _ := strings.Cut(o.names, " ")
		panic(throw.Of(at.errorf("%q is no value of the option %s", v, name)))
	}
}

// assemblers checks options that are handed on to the assembler, with commas between them.
func assemblers(at word, text string) {
	handed := words{table: optionsOf()["ptxas"], cuda: true}
	for _, part := range strings.Split(text, ",") {
		handed.list = append(handed.list, word{part, at.item, at.offset})
	}
	for handed.at < len(handed.list) {
		handed.next()
	}
}

// unknown is the error about an option that is not in the table.
func (w *words) unknown(at word) error {
	name, _, _ := strings.Cut(at.text, "=")
	e := at.errorf("%s is none of the options that only change the code", name)
	var known []string
	for _, o := range w.table {
		first, _, _ := strings.Cut(o.names, " ")
		known = append(known, strings.Repeat("-", min(len(first), 2))+first)
	}
	if near := source.Nearest(name, known); near != "" && w.cuda {
		return e.WithHint("did you mean %s?", near)
	}
	return e.WithHint("options that read or write files or run programs are not passed on; docs/reference/launch.md has those that are")
}
