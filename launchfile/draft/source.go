package draft

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuperf/cfront/launches"
	"gpuperf/internal/cname"
	"gpuperf/internal/lex"
	"gpuperf/internal/lists"
)

// language is what the sources of an interface write differently.
type language struct {
	kernel *regexp.Regexp // begins a kernel
	axis   *regexp.Regexp // asks for the place in an axis beyond the first; the axis is what it captures
}

var (
	openCL = language{regexp.MustCompile(`\b(?:__kernel|kernel)\b`), regexp.MustCompile(`\bget_(?:global|local|group)_id\s*\(\s*([12])\s*\)`)}
	cuda   = language{regexp.MustCompile(`\b__global__\b`), regexp.MustCompile(`\b(?:threadIdx|blockIdx)\s*\.\s*([yz])\b`)}
)

var (
	comments  = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)`)
	template  = regexp.MustCompile(`template\s*<([^{};]*)>[^{};]*$`)
	dynamic   = regexp.MustCompile(`\bextern\s+__shared__\s+(?:__align__\s*\(\s*\d+\s*\)\s*)?([\w ]+?)\s+\w+\s*\[\s*\]`)
	launched  = regexp.MustCompile(`\b(\w+)\s*(?:<([^<>;]*)>)?\s*<<<(.*?)>>>`)
	literal   = regexp.MustCompile(`^\s*(?:dim3\s*\()?([\d\s,]+)\)?\s*$`) // the size of a work-group, in a launch
	scope     = regexp.MustCompile(`\bnamespace\s+([\w:]+)\s*\{|[{}]`)
	digits    = regexp.MustCompile(`\d+`)
	word      = regexp.MustCompile(`[A-Za-z_]\w*`)
	axes      = map[string]int{"1": 2, "2": 3, "y": 2, "z": 3}
	qualities = regexp.MustCompile(`\b(?:const|volatile|restrict|__restrict__|__restrict|__global|global|__constant|constant|__private|private|__local|local|__grid_constant__|struct|register)\b`)
)

// longestHead is how many characters before a kernel its template is looked for in.
const longestHead = 1000

func readOpenCL(path, text string) ([]Kernel, error) { return readSource(openCL, path, text), nil }

func readCUDA(path, text string) ([]Kernel, error) { return readSource(cuda, path, text), nil }

// readSource finds the kernels that a source defines.
func readSource(l language, path, text string) (kernels []Kernel) {
	host := hostLaunches(l, path, text)
	text = expanded(comments.ReplaceAllString(text, " "))
	known := structures(text)
	written := map[string][]string{}
	for _, m := range launched.FindAllStringSubmatch(text, -1) {
		written[m[1]] = m[2:]
	}
	within := scopes(text)
	for _, found := range l.kernel.FindAllStringIndex(text, -1) {
		head, ok := readHead(text[found[1]:])
		if !ok {
			continue
		}
		types := map[string]string{}
		k := Kernel{Name: within(found[0]) + head.name, Dims: 1, Block: head.size, Most: head.most, file: path}
		if m := template.FindStringSubmatch(text[max(0, found[0]-longestHead):found[0]]); m != nil {
			var given []string
			if by := written[head.name]; by != nil && by[0] != "" {
				given = split(by[0])
			}
			k.Name += "<" + strings.Join(arguments(m[1], given, types), ", ") + ">"
			k.Notes = append(k.Notes, "an instance of a template: choose its arguments")
		}
		for _, p := range split(head.params) {
			if one, ok := readParam(p, types); ok {
				k.Params = append(k.Params, one.of(known))
			}
		}
		for _, m := range l.axis.FindAllStringSubmatch(head.body, -1) {
			k.Dims = max(k.Dims, axes[m[1]])
		}
		by := written[head.name]
		if by != nil && k.Block == nil {
			k.Block = blockOf(by[1])
		}
		k.shape()
		if m := dynamic.FindStringSubmatch(head.body); m != nil {
			k.Dynamic, _, _ = typeOf(m[1], types)
		}
		if by != nil {
			k.Notes = append(k.Notes, "launched in the source by <<<"+strings.Join(strings.Fields(by[1]), " ")+">>>")
		}
		k.along(head.body)
		k.launchedBy(host[head.name])
		kernels = append(kernels, k)
	}
	return kernels
}

// hostLaunches are the launches of the host code of a source, by the names of kernels: of each the first whose work-group is known, or else the first.
func hostLaunches(l language, path, text string) map[string]*launches.Launch {
	out := map[string]*launches.Launch{}
	if l.kernel != cuda.kernel {
		return out
	}
	for _, one := range launches.OfText(context.Background(), path, text) {
		if before := out[one.Kernel]; before == nil || before.Block == nil {
			one.Resolve()
			out[one.Kernel] = one
		}
	}
	return out
}

// launchedBy takes what the host code says of the launch.
func (k *Kernel) launchedBy(l *launches.Launch) {
	if l == nil || l.Arguments() != len(k.Params) {
		return
	}
	params := lists.Map(k.Params, func(p Param) launches.Param { return launches.Param{Name: p.Name, Integer: p.isSize()} })
	if k.Launch = l.Bind(params); k.Launch.Block != nil {
		k.Block = k.Launch.Block
		k.Dims = max(len(k.Block), len(k.Launch.Grid))
		for len(k.Block) < k.Dims {
			k.Block = append(k.Block, 1)
		}
	}
}

var (
	indexed = regexp.MustCompile(`\b(\w+)\s*=\s*[^;=]*?(?:\bblockIdx\s*\.\s*([xyz])|get_global_id\s*\(\s*([012])\s*\))`)
	guarded = `\b%s\s*(?:<|>=)\s*(\w+)\b`
)

// along finds what the index along each axis is compared with.
func (k *Kernel) along(body string) {
	for _, m := range indexed.FindAllStringSubmatch(body, -1) {
		d := strings.Index("xyz012", m[2]+m[3]) % 3
		if by := regexp.MustCompile(fmt.Sprintf(guarded, regexp.QuoteMeta(m[1]))).FindStringSubmatch(body); by != nil && k.Along[d] == "" {
			k.Along[d] = by[1]
		}
	}
}

// blockOf is the size of the work-groups of a launch where it is written in numbers.
func blockOf(launch string) []int64 {
	if given := split(launch); len(given) > 1 && literal.MatchString(given[1]) {
		return numbers(literal.FindStringSubmatch(given[1])[1])
	}
	return nil
}

// shape leaves out the dimensions that the kernel does not ask for, and in which its work-groups have one work-item.
func (k *Kernel) shape() {
	for i, n := range k.Block {
		if n > 1 {
			k.Dims = max(k.Dims, i+1)
		}
	}
	for k.Block != nil && len(k.Block) < k.Dims {
		k.Block = append(k.Block, 1)
	}
	k.Block = k.Block[:min(len(k.Block), k.Dims)]
}

// head is a kernel from its return type on.
type head struct {
	name, params, body string
	size               []int64 // of a work-group, where an attribute requires it
	most               int64   // work-items of a work-group, where an attribute bounds it
}

// readHead reads the definition of a kernel; it is false for a declaration.
func readHead(text string) (h head, ok bool) {
	for {
		at := word.FindStringIndex(text)
		if at == nil {
			return h, false
		}
		name, after := text[at[0]:at[1]], strings.TrimLeft(text[at[1]:], " \t\r\n")
		if text = after; !strings.HasPrefix(after, "(") {
			continue
		}
		inside, rest, closed := balanced(after, "()")
		if !closed {
			return h, false
		}
		switch name {
		case "__launch_bounds__":
			h.most, _ = strconv.ParseInt(strings.TrimSpace(split(inside)[0]), 0, 64)
		case "__attribute__", "__cluster_dims__", "__block_size__":
			if _, list, ok := strings.Cut(inside, "reqd_work_group_size"); ok {
				h.size = numbers(list)
			}
		default:
			h.name, h.params = name, inside
			h.body, _, ok = balanced(strings.TrimLeft(rest, " \t\r\n"), "{}")
			return h, ok
		}
		text = rest
	}
}

// balanced splits a text that begins with the first of a pair of brackets at the one that closes it.
func balanced(text, pair string) (inside, rest string, ok bool) {
	end := lex.Closing(text, pair)
	if end < 0 || text[0] != pair[0] {
		return "", text, false
	}
	return text[1 : end-1], text[end:], true
}

// split splits a list at the commas that stand in no brackets.
func split(list string) []string { return lex.Split(list, ",", "()<>[]") }

// numbers are those of a list in brackets.
func numbers(list string) (all []int64) {
	for _, text := range digits.FindAllString(list, 3) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// scopes tells within which namespaces a place of the text is, each with "::" behind it.
func scopes(text string) func(at int) string {
	type scoped struct {
		from int
		name string
	}
	all, open := []scoped{{}}, []string{""}
	for _, m := range scope.FindAllStringSubmatchIndex(text, -1) {
		switch last := open[len(open)-1]; {
		case m[2] >= 0:
			open = append(open, last+text[m[2]:m[3]]+"::")
		case text[m[0]] == '{':
			open = append(open, last)
		case len(open) > 1:
			open = open[:len(open)-1]
		}
		all = append(all, scoped{m[1], open[len(open)-1]})
	}
	return func(at int) string {
		i, _ := slices.BinarySearchFunc(all, at, func(s scoped, at int) int { return s.from - at })
		return all[max(0, i-1)].name
	}
}

// arguments are those of an instance of a template: as many as are given, then float for each type, and the default, or else a number, for
// each value.
func arguments(params string, given []string, types map[string]string) (list []string) {
	for i, p := range split(params) {
		declared, preset, _ := strings.Cut(p, "=")
		words := word.FindAllString(declared, -1)
		if len(words) < 2 {
			continue
		}
		name, argument, isType := words[len(words)-1], strings.TrimSpace(preset), slices.Contains([]string{"class", "typename"}, words[0])
		switch {
		case i < len(given):
			argument = strings.TrimSpace(given[i])
		case argument == "" && isType:
			argument = "float"
		case argument == "" && words[0] == "bool":
			argument = "true"
		case argument == "":
			argument = "16"
		}
		if isType {
			types[name] = argument
		}
		list = append(list, argument)
	}
	return list
}

// readParam reads a parameter as C declares it, or as a demangled name has it, without its name. It is false for (void) and ().
func readParam(text string, types map[string]string) (p Param, ok bool) {
	p.Text = strings.Join(strings.Fields(text), " ")
	if p.Text == "" || p.Text == "void" {
		return p, false
	}
	before, after, pointer := strings.Cut(p.Text, "*")
	if i := strings.IndexByte(p.Text, '['); i >= 0 && !pointer {
		before, after, pointer = p.Text[:i], "", true
		if words := word.FindAllString(before, -1); len(words) > 1 {
			after = words[len(words)-1]
			before = strings.TrimSuffix(strings.TrimSpace(before), after)
		}
	}
	declared := word.FindAllString(before, -1)
	if pointer {
		p.Kind = Pointer
		p.Const = slices.ContainsFunc(declared, func(w string) bool { return w == "const" || strings.HasSuffix(w, "constant") })
		if slices.ContainsFunc(declared, func(w string) bool { return w == "local" || w == "__local" }) {
			p.Kind = Local
		}
	}
	rest := ""
	p.Type, p.Lanes, rest = typeOf(qualities.ReplaceAllString(before, " "), types)
	if strings.Contains(after, "*") { // to pointers
		p.Type = ""
	}
	if !pointer {
		after = rest
	}
	if names := word.FindAllString(qualities.ReplaceAllString(after, " "), -1); len(names) > 0 {
		p.Name = names[len(names)-1]
	}
	return p, true
}

var (
	vector   = regexp.MustCompile(`^(\w+?)(2|3|4|8|16)$`)
	combined = []string{"unsigned", "signed", "long", "short", "int", "char"} // words of which several make a type
)

// typeOf reads a type: what launch files name it, how many lanes a vector of it has, and what comes behind. The type is "" where it is not
// known.
func typeOf(text string, types map[string]string) (dtype string, lanes int64, rest string) {
	words := word.FindAllString(text, -1)
	n := min(1, len(words))
	for n > 0 && n < len(words) && slices.Contains(combined, words[0]) && slices.Contains(combined, words[n]) {
		n++
	}
	rest = strings.Join(words[n:], " ")
	name := strings.Join(words[:n], " ")
	if as, ok := types[name]; ok {
		name = as
	}
	if n > 1 {
		name = strings.TrimSuffix(name, " int")
	}
	if dtype, ok := cname.DTypes[name]; ok {
		return dtype, 1, rest
	}
	if m := vector.FindStringSubmatch(name); m != nil && cname.DTypes[m[1]] != "" {
		lanes, _ = strconv.ParseInt(m[2], 10, 64)
		return cname.DTypes[m[1]], lanes, rest
	}
	return "", 1, rest
}
