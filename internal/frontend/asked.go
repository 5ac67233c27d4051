package frontend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/cfront/folders"
	"gpuperf/internal/source"
)

// maxAsked is how many errors behind the first are looked for.
const maxAsked = 12

// kernelFunction loads a kernel function. Where flags are lacking, the error tells also those that it would ask for next, and sizes without which the function is
// not read, as a line that can be pasted. What files around define is proposed by their names.
func (o Options) kernelFunction(ctx context.Context, path string) ([]*Kernel, error) {
	kernels, err := o.launchedFunction(ctx, path)
	with, then, asked, last := o.answers(ctx, path, kernels, err)
	switch {
	case asked == nil:
		return kernels, err
	case !o.Proposals:
		return nil, asked
	case len(with.Tried)+len(with.Include)+len(with.Before) > len(o.Tried)+len(o.Include)+len(o.Before):
		for _, k := range then {
			k.Proposed = asked
		}
	}
	return then, last
}

// Answered are options with proposals for what a file of kernel functions asks for before these can be told, and the error that asks; nil where that is nothing.
func (o Options) Answered(ctx context.Context, path string) (with Options, asked *source.Error) {
	kernels, err := o.launchedFunction(ctx, path)
	with, _, asked, _ = o.answers(ctx, path, kernels, err)
	return with, asked
}

// answers are options with all that a kernel function asks for, which has been loaded or refused, what it is with them, and the error that asks for it; nil where it
// asks for nothing.
func (o Options) answers(ctx context.Context, path string, kernels []*Kernel, err error) (with Options, then []*Kernel, asked *source.Error, last error) {
	file, _, _ := source.CutName(path)
	a := &asking{file: file, given: len(o.Before), around: folders.Around(file), before: o.Before, by: map[string]string{}}
	at := a.ask(ctx, kernels, err)
	if at == nil {
		return o, kernels, nil, err
	}
	for more, round := true, 0; more && round < maxAsked; round++ {
		with = a.options(o)
		then, last = with.launchedFunction(ctx, path)
		more = a.ask(ctx, then, last) != nil
	}
	return with, then, a.hint(at), last
}

// asking collects what a kernel function asks for.
type asking struct {
	file     string
	given    int // files of before that the user names
	around   *folders.Folders
	flags    []string
	before   []string          // files before the one of the function
	by       map[string]string // files that were put there, by the names that they define; "" where that did not help
	exact    []string          // macros of flags that must have these values
	sizes    []string
	notes    []string // on values that are not proposals of perf
	moved    bool     // what files around say stands for what an error proposes
	includer string   // the file of before that includes the one of the function; "" where none is
	sought   bool     // one was looked for
	lacked   string   // what the file of the function lacks, for which that is read
}

// ask adds what mends an error, or what a kernel lacks that is not read whole. It is the error where that is something new, else nil.
func (a *asking) ask(ctx context.Context, kernels []*Kernel, err error) *source.Error {
	for _, k := range kernels {
		if err == nil && k.unread != nil && k.Unsized == nil {
			err = k.unread
		} else if err == nil && k.Unsized != nil {
			a.sizes, err = k.trial(ctx)
		}
	}
	at := (*source.Error)(nil)
	if !errors.As(err, &at) {
		return nil
	}
	added := a.takeBack(at)
	if !added && !a.underConditions(at) {
		if a.include(at) {
			return at
		}
		added = a.define(at, at.Lacks) || a.give(at)
	}
	for _, f := range at.Flags {
		name, value, _ := strings.Cut(strings.TrimPrefix(f, "-D "), "=")
		if a.define(at, name) {
			added = true
		}
		if a.defined(name) {
			continue
		}
		switch {
		case !strings.HasPrefix(f, "-D "):
		case at.Lacks == "": // a condition asks for the very value
			a.exact = append(a.exact, name)
		case slices.Contains(a.exact, name):
			continue
		default:
			f = a.valued(f, name, value)
		}
		if !slices.Contains(a.flags, f) {
			same := func(other string) bool { return f == other || strings.HasPrefix(other+"=", "-D "+name+"=") }
			a.flags, added = append(slices.DeleteFunc(slices.Clone(a.flags), same), f), true
		}
	}
	if !added {
		return nil
	}
	return at
}

// underConditions reports that an error has flags which nobody has added: they define what conditions ask for, and not what it lacks, which stands under these.
func (a *asking) underConditions(at *source.Error) (lacks bool) {
	for _, f := range at.Flags {
		if !strings.HasPrefix(f, "-D ") || strings.HasPrefix(f+"=", "-D "+at.Lacks+"=") {
			return false
		}
		name, _, _ := strings.Cut(f, "=")
		lacks = lacks || !slices.ContainsFunc(a.flags, func(g string) bool { return strings.HasPrefix(g+"=", name+"=") })
	}
	return lacks && at.Lacks != ""
}

// define adds a file around that defines what an error lacks: before the one that lacks it.
func (a *asking) define(at *source.Error, name string) bool {
	if name == "" || strings.HasPrefix(name, "-") {
		return false
	}
	found := a.around.Definition(name)
	if _, tried := a.by[name]; found == nil || tried || slices.Contains(a.before, found.File) {
		return false
	}
	a.by[name] = found.File
	i := slices.Index(a.before, at.File)
	if i < 0 {
		i = slices.Index(append(slices.Clone(a.before), a.includer), a.includer)
	}
	a.before = slices.Insert(slices.Clone(a.before), i, found.File)
	a.moved = a.moved || len(at.Flags) > 0
	a.notes = append(a.notes, fmt.Sprintf("%s is defined in %s:%d", name, found.File, found.Line))
	return true
}

// include adds the file that includes the one of the function, once: what that lacks stands there.
func (a *asking) include(at *source.Error) bool {
	if at.Lacks == "" || a.sought {
		return false
	}
	a.sought = true
	found := a.around.Includer()
	if found == nil || slices.Contains(a.before, found.File) {
		return false
	}
	a.lacked = at.Lacks
	a.includer, a.before = found.File, append(slices.Clone(a.before), found.File)
	a.moved = a.moved || len(at.Flags) > 0
	a.notes = append(a.notes, fmt.Sprintf("%s:%d includes the file, which does not define %s", found.File, found.Line, at.Lacks))
	return true
}

// give adds the macro with arguments that a program around gives its compiler for what an error lacks.
func (a *asking) give(at *source.Error) bool {
	if at.Lacks == "" || len(at.Flags) > 0 {
		return false
	}
	found := a.around.Option(at.Lacks)
	if found == nil {
		return false
	}
	flag := "-D '" + at.Lacks + found.Value + "'"
	if slices.Contains(a.flags, flag) {
		return false
	}
	a.flags, a.notes = append(a.flags, flag), append(a.notes, fmt.Sprintf("%s is that of %s:%d", at.Lacks, found.File, found.Line))
	return true
}

// takeBack takes away a file that does not help: one that is not read for a reason that nothing mends, or leaves out what it should define.
func (a *asking) takeBack(at *source.Error) bool {
	ends := at.Lacks == "" && len(at.Flags) == 0
	if a.includer != "" && (at.File == a.includer && ends || at.Lacks == a.lacked) {
		a.remove(a.includer)
		a.includer = ""
		return true
	}
	for _, name := range slices.Sorted(maps.Keys(a.by)) {
		file := a.by[name]
		if file != "" && (name == at.Lacks || file == at.File && ends) {
			a.by[name] = ""
			a.remove(file)
			return true
		}
	}
	if n := len(a.before); ends && at.File != "" && at.File != a.file && n > a.given { // what one of them includes
		for name, file := range a.by {
			if file == a.before[n-1] {
				a.by[name] = ""
			}
		}
		a.remove(a.before[n-1])
		return true
	}
	return false
}

// remove takes a file away, and what was said of it.
func (a *asking) remove(file string) {
	a.before = slices.DeleteFunc(slices.Clone(a.before), func(f string) bool { return f == file })
	a.notes = slices.DeleteFunc(a.notes, func(n string) bool { return strings.Contains(n, file+":") })
}

// defined reports that a file of those before defines a name.
func (a *asking) defined(name string) bool {
	found := a.around.Definition(name)
	return found != nil && slices.Contains(a.before, found.File)
}

// valued is a flag that defines a macro, with the value that a program around gives it.
func (a *asking) valued(flag, name, value string) string {
	found := a.around.Macro(name)
	switch {
	case found == nil:
		return flag
	case found.Value == "" || value == "": // of those without a value nobody asks for one
		a.note(fmt.Sprintf("%s:%d gives %s", found.File, found.Line, name))
		return flag
	}
	a.moved = a.moved || found.Value != value
	a.note(fmt.Sprintf("%s=%s is that of %s:%d", name, found.Value, found.File, found.Line))
	return "-D " + name + "=" + found.Value
}

// note adds what a file around says, once.
func (a *asking) note(text string) {
	if !slices.Contains(a.notes, text) {
		a.notes = append(a.notes, text)
	}
}

// maxNotes is how many places a hint names.
const maxNotes = 6

// hint is an error with all that was asked for.
func (a *asking) hint(at *source.Error) *source.Error {
	all := slices.Clone(a.flags)
	for _, file := range a.before {
		all = append(all, "--before "+file)
	}
	if len(a.sizes) > 0 {
		all = append(all, "-p "+strings.Join(a.sizes, "="+triedSize+",")+"="+triedSize)
	}
	line := strings.ReplaceAll(strings.Join(all, " "), "…", tried)
	if line == strings.Join(at.Flags, " ") && strings.Contains(at.Hint, line) {
		return at
	}
	var parts []string
	if at.Hint != "" && !a.moved {
		parts = append(parts, at.Hint)
	}
	if n := len(a.notes) - maxNotes; n > 0 {
		a.notes = append(a.notes[:maxNotes], fmt.Sprintf("and %d more", n))
	}
	if len(a.notes) > 0 {
		parts = append(parts, strings.Join(a.notes, ", "))
	}
	return at.WithHint("%s", strings.Join(append(parts, "all that it asks for, with values that are proposals: "+line), "; "))
}

// options are options with all that was asked for, where … stands for a value that is tried.
func (a *asking) options(o Options) Options {
	o.Tried, o.Include, o.Before = slices.Clone(o.Tried), slices.Clone(o.Include), a.before
	for _, f := range a.flags {
		name, value, _ := strings.Cut(f, " ")
		value = strings.Trim(strings.ReplaceAll(value, "…", tried), "'")
		switch name {
		case "-D":
			o.Tried = append(o.Tried, value)
		case "-I":
			o.Include = append(o.Include, value)
		default:
			_ = o.own([]string{name, value})
		}
	}
	return o
}

// Values that nobody knows, of macros and of sizes, to see what else is asked for.
const (
	tried     = "16"
	triedSize = "256"
)
