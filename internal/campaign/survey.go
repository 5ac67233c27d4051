package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
	"gpuperf/internal/source"
)

// Surveyed is what became of a kernel function that was tried.
type Surveyed struct {
	File   string `json:"file"`
	Kernel string `json:"kernel"`
	// Result is "counted", "proposed" where that takes what the build of the program gives, for which perf has a proposal, "opaque" where parts are not counted,
	// or "refused".
	Result string `json:"result"`
	Line   int    `json:"line,omitempty"` // where it is refused
	Reason string `json:"reason,omitempty"`
}

// Survey is what became of all kernel functions of a folder.
type Survey struct {
	Kernels  []Surveyed `json:"kernels"`
	Counted  int        `json:"counted"`
	Proposed int        `json:"proposed"`
	Opaque   int        `json:"opaque"`
	Refused  int        `json:"refused"`
	// Passed is how many files have no kernel functions.
	Passed int `json:"files_without_kernels"`

	seen map[cfront.Pos]bool // kernels that were tried: headers are of many files
}

// surveySize is the value of all sizes of a survey: it fills a work-group or two, and loops over it end soon.
const surveySize = 64

// surveyLocal are the work-items of work-groups, unless a function demands others.
const surveyLocal = 256

// NewSurvey tries to count all kernel functions of the files in a folder and those below: of templates the instance that is proposed, with all sizes 64.
func NewSurvey(ctx context.Context, o frontend.Options, folder string) (*Survey, error) {
	s := &Survey{Kernels: []Surveyed{}, seen: map[cfront.Pos]bool{}}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.IsDir() || !slices.Contains(frontend.FunctionExtensions(), filepath.Ext(path)):
			return nil
		}
		s.file(ctx, o, path)
		return nil
	})
	return s, err
}

// file tries the functions of a file.
func (s *Survey) file(ctx context.Context, o frontend.Options, path string) {
	if text, err := os.ReadFile(path); err == nil && !cfront.MayHaveKernels(string(text)) {
		s.Passed++
		return
	}
	read := func() (*cfront.File, error) {
		opt := o.Options
		opt.Opaque = true // bodies that are not read whole are functions, too
		return cfront.Read(ctx, path, opt)
	}
	var asked *source.Error
	file, err := read()
	if err != nil && !errors.Is(err, cfront.ErrNoKernels) {
		if o, asked = o.Answered(ctx, path); asked != nil {
			file, err = read()
		}
	}
	switch {
	case errors.Is(err, cfront.ErrNoKernels):
		s.Passed++
		return
	case err != nil:
		s.add(path, "", nil, err, nil)
		return
	}
	all := file.Kernels()
	for _, k := range all {
		if at := k.Pos; at.File == "" || !s.seen[at] {
			s.seen[at] = true
			s.try(ctx, o, path, k.Name, k.Func, asked)
		}
	}
	if len(all) == 0 {
		s.Passed++
	}
}

// try counts a function, with a value for each size that it takes, and what it asks for as proposed; asked is what its file asked for.
func (s *Survey) try(ctx context.Context, o frontend.Options, path, name string, fn *cfront.Function, asked *source.Error) {
	o.Kernel, o.Proposals = name, true
	if o.Local == "" && (fn == nil || fn.Group == nil) {
		o.Local = fmt.Sprint(surveyLocal)
		if fn != nil && fn.MostItems > 0 {
			o.Local = fmt.Sprint(min(fn.MostItems, surveyLocal))
		}
	}
	if o.Groups == "" && o.Global == "" {
		o.Groups = "groups"
	}
	kernels, err := o.Load(ctx, path)
	if err != nil {
		s.add(path, name, nil, err, nil)
		return
	}
	k := kernels[0]
	at := map[string]int64{}
	values := func(k *frontend.Kernel) {
		for _, n := range k.Takes() {
			at[n] = surveySize
		}
	}
	values(k)
	maps.DeleteFunc(at, func(n string, _ int64) bool { return wrap(k).OpenArray(n) != nil }) // whose extent may follow from the others
	all, _, err := countsOf(ctx, kernels, at, features.Options{SubgroupSize: 32})
	if lacking := (&InputError{}); errors.As(err, &lacking) { // averages of loops by data are sizes that only show here
		if sized, failed := k.At(ctx, at); failed == nil {
			values(sized)
			all, _, err = countsOf(ctx, kernels, at, features.Options{SubgroupSize: 32})
		}
	}
	if shared := sharedOf(err); shared != "" && o.Shared == "" {
		o.Shared = shared
		s.try(ctx, o, path, name, fn, asked)
		return
	}
	s.add(path, name, all, err, cmp.Or(asked, k.Proposed))
}

// sharedOf is the local memory that an error proposes for a launch, "" where it proposes none.
func sharedOf(err error) string {
	if at := (*source.Error)(nil); errors.As(err, &at) {
		for _, f := range at.Flags {
			if value, is := strings.CutPrefix(f, "--shared "); is {
				return strings.Trim(value, "'")
			}
		}
	}
	return ""
}

// add notes what became of a function, which is read with proposals for what asked asks for.
func (s *Survey) add(path, name string, all []*Counted, err error, asked *source.Error) {
	one := Surveyed{File: path, Kernel: name, Result: "counted"}
	switch {
	case err != nil:
		s.Refused++
		one.Result, one.Reason = "refused", source.Message(err)
		if at := (*source.Error)(nil); errors.As(err, &at) {
			one.Line = at.Pos.Line
		}
	case len(all) > 0 && len(all[0].IR.Opaque) > 0:
		s.Opaque++
		first := all[0].IR.Opaque[0]
		one.Result, one.Reason, one.Line = "opaque", first.Text, first.Place.Line
	case asked != nil:
		s.Proposed++
		one.Result, one.Reason, one.Line = "proposed", asked.Msg, asked.Pos.Line
	default:
		s.Counted++
	}
	s.Kernels = append(s.Kernels, one)
}

// names are what a reason says of one source alone.
var names = regexp.MustCompile(`(^|[ (])(\w*[A-Z_0-9]\w*|\w)\b|^\w+( is | has | takes | holds | demands | calls )`)

// class is a reason without the names of one source.
func (k Surveyed) class() string {
	return names.ReplaceAllStringFunc(k.Reason, func(m string) string {
		if strings.Trim(m, " (") == "a" {
			return m
		}
		parts := names.FindStringSubmatch(m)
		return parts[1] + "…" + parts[3]
	})
}

// Write prints how many functions there are of each kind, and of each reason with an example.
func (s *Survey) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d counted, %d with proposals for what the build gives, %d with parts that are not counted, %d refused\n",
		format.Count(len(s.Kernels), "kernel function"), s.Counted, s.Proposed, s.Opaque, s.Refused)
	if s.Passed > 0 {
		fmt.Fprintf(w, "%s without kernel functions passed over\n", format.Count(s.Passed, "file"))
	}
	type group struct {
		result, class string
		of            []Surveyed
	}
	var groups []*group
	for _, k := range s.Kernels {
		if k.Result == "counted" {
			continue
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.result == k.Result && g.class == k.class() })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{result: k.Result, class: k.class()})
		}
		groups[i].of = append(groups[i].of, k)
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Or(cmp.Compare(len(b.of), len(a.of)), cmp.Compare(a.class, b.class)) })
	if len(groups) == 0 {
		return nil
	}
	t := format.NewTable(">kernels", "result", "why", "for example")
	for _, g := range groups {
		first := g.of[0]
		t.Row(fmt.Sprint(len(g.of)), g.result, g.class, fmt.Sprintf("%s:%d %s", first.File, first.Line, first.Kernel))
	}
	return t.Write(w)
}
