package reference

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/fleet"
	"gpuperf/internal/lists"
	"gpuperf/internal/warning"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/script"
	"gpuperf/launch"
	"gpuperf/launchfile"
	"gpuperf/lift"
	"gpuperf/models"
	"gpuperf/polycount"
	"gpuperf/sass"
)

// row is what a table of the program knows of an entry.
type row struct {
	name, usage string
	args        []Arg
	does        string // where the table says it itself
}

// tables are the tables that sections describe, row for row.
var tables = map[string]func() []row{
	"set comparisons":   patterns(polycount.Comparisons, func(op string) string { return "x " + op + " y" }),
	"set words":         names(polycount.Words),
	"lp functions":      scriptFunctions,
	"lp attributes":     names(kernel.Attributes),
	"lp criteria":       patterns(kernel.Criteria, func(name string) string { return name + ":NAME" }),
	"lp tags":           names(kernel.TagNames),
	"lp types":          names(func() []expr.DType { return expr.Scalars }),
	"lp operators":      patterns(expr.Operators, func(op expr.OpKind) string { return "x " + string(op) + " y" }),
	"lp reductions":     patterns(expr.ReductionNames, reduction),
	"lp calls":          patterns(expr.Functions, call),
	"model":             keys(models.Keys, "model"),
	"model parameter":   keys(models.Keys, "parameter"),
	"model fit":         keys(models.Keys, "fit"),
	"model measure":     keys(models.Keys, "measure"),
	"model removal":     keys(models.Keys, "remove_work"),
	"model binary":      keys(models.Keys, "binary"),
	"model functions":   modelFunctions,
	"warning":           warningKinds,
	"match conditions":  names(func() []models.Match { return models.Matches }),
	"suite file":        keys(evaluate.Keys, "file"),
	"suite":             keys(evaluate.Keys, "suite"),
	"suite variant":     keys(evaluate.Keys, "variant"),
	"campaign file":     keys(fleet.Keys, "file"),
	"campaign work":     keys(fleet.Keys, "work"),
	"campaign slurm":    keys(fleet.Keys, "slurm"),
	"launch file":       keys(launchfile.Keys, "file"),
	"launch buffer":     keys(launchfile.Keys, "buffer"),
	"launch attributes": keys(launchfile.Keys, "attributes"),
	"launch pointer":    keys(launchfile.Keys, "pointer"),
	"launch struct":     keys(launchfile.Keys, "struct"),
	"launch hex":        keys(launchfile.Keys, "hex"),
	"launch local":      keys(launchfile.Keys, "local"),
	"launch step":       keys(launchfile.Keys, "launch"),
	"launch assumption": keys(launchfile.Keys, "assumption"),
	"launch expect":     keys(launchfile.Keys, "expect"),
	"launch scalars":    names(func() []string { return launchfile.Scalars }),
	"feature classes":   featureClasses,
	"memory parts":      names(features.MemoryParts),
	"static totals":     staticTotals,
	"operations":        names(func() []string { return append(slices.Clone(kernel.OpCounts), "func:<name>") }),
	"lift patterns":     patterns(lift.Patterns, lift.Usage),
	"lift functions":    patterns(lift.Builtins, lift.Usage),
	"sass opcodes":      opcodes,
	"sass pipes":        names(func() []sass.Pipe { return sass.Pipes }),
}

// scriptFunctions are the functions of the module lp. Their first argument, the kernel, needs no description.
func scriptFunctions() []row {
	var rows []row
	for _, f := range script.Functions() {
		r := row{name: f.Name}
		var usage []string
		for _, p := range f.Params {
			text := p.Names[0]
			switch {
			case p.Rest:
				text = "**" + text
			case p.Optional:
				text += "=" + p.Default
			}
			usage = append(usage, text)
			if p.Names[0] != "knl" {
				r.args = append(r.args, Arg{Name: p.Names[0], Alias: strings.Join(p.Names[1:], ", ")})
			}
		}
		r.usage = "lp." + f.Name + "(" + strings.Join(usage, ", ") + ")"
		rows = append(rows, r)
	}
	return rows
}

// keys are the keys of a map in a file format.
func keys(of map[string][]string, part string) func() []row {
	return names(func() []string { return of[part] })
}

// names are rows that are nothing but a name.
func names[T ~string](list func() []T) func() []row {
	return patterns(list, func(name T) string { return string(name) })
}

// patterns are rows whose usage follows from their name.
func patterns[T ~string](list func() []T, usage func(T) string) func() []row {
	return func() (rows []row) {
		return lists.Map(list(), func(name T) row { return row{name: string(name), usage: usage(name)} })
	}
}

// reduction is a reduction over one iname.
func reduction(name string) string {
	return name + "(k, " + []string{1: "e", 2: "e, index"}[expr.ReductionArity(name)] + ")"
}

// call is a function of expressions with its operands.
func call(name string) string {
	n, _ := expr.Arity(name)
	return name + "(" + []string{1: "x", 2: "x, y", 3: "x, y, z"}[n] + ")"
}

func modelFunctions() (rows []row) {
	list, arity := models.Functions()
	for _, name := range list {
		rows = append(rows, row{name: name, usage: name + "(" + []string{1: "x", 2: "a, b", 3: "a, b, p"}[arity[name]] + ")"})
	}
	return rows
}

func warningKinds() (rows []row) {
	for _, k := range warning.Kinds {
		r := row{name: string(k.Kind), usage: string(k.Kind)}
		if !k.Stays {
			r.usage += " (not with --quiet)"
		}
		rows = append(rows, r)
	}
	return rows
}

func featureClasses() (rows []row) {
	classes, forms := features.Classes()
	for i, c := range classes {
		rows = append(rows, row{name: "f_" + string(c), usage: forms[i]})
	}
	return rows
}

func staticTotals() (rows []row) {
	return lists.Map(launch.Totals(), func(t launch.Total) row { return row{name: t.Feature(), usage: t.Feature(), does: t.Doc} })
}

func opcodes() (rows []row) {
	for _, o := range sass.Opcodes() {
		does := fmt.Sprintf("Class %s, pipe %s, %s latency.", o.Class, o.Pipe, o.Latency)
		if o.Space != "" {
			does = fmt.Sprintf("Class %s (%s, %s), pipe %s, %s latency.", o.Class, o.Space, o.Action, o.Pipe, o.Latency)
		}
		rows = append(rows, row{name: o.Name, usage: o.Name, does: does})
	}
	return rows
}
