package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/internal/source"
	"gpuperf/lift"
	"gpuperf/lift/explore"
	"gpuperf/lift/rules"
)

func liftCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lift",
		Short: "Derive, rank, emit and run variants of a functional program",
		Long: `lift works on programs in the language of package lift: array patterns such as map, reduce, zip and slide. Rewrite rules derive
low-level variants of a program, static features and a ranker that has learnt from other programs order them, and the best of
them are run, compared with a reference, and kept as samples.`,
		Args: cobra.ArbitraryArgs,
		RunE: chooseCommand,
	}
	for _, sub := range []func() *cobra.Command{
		liftShowCommand, liftRulesCommand, liftDeriveCommand, liftEmitCommand, liftRunCommand,
		liftRankCommand, liftExploreCommand, liftRedundancyCommand, liftEvaluateCommand,
	} {
		cmd.AddCommand(sub())
	}
	return cmd
}

// loadProgram reads a program.
func loadProgram(path string) (*lift.Program, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := lift.Parse(string(text))
	if err != nil {
		return nil, source.InFile(err, path)
	}
	return p, nil
}

// spaceOptions say of which variants of a program a command speaks.
type spaceOptions struct {
	sizes    []string
	variants int
	ranges   int
	seed     int64
	group    int64
	data     []string
}

func (o *spaceOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.sizes, "size", "s", nil, "the sizes of the program, for example n=4096 or h=4096,w=4096")
	flags.IntVar(&o.variants, "count", 1000, "variants to derive, at most")
	flags.IntVar(&o.ranges, "ranges", 10, "ND-ranges of each variant, at most")
	flags.Int64Var(&o.seed, "seed", 1, "of what is chosen at random")
	flags.Int64Var(&o.group, "max-group", 0, "the largest work-group (default 1024, or what the device allows)")
	flags.StringArrayVar(&o.data, "data", nil, "what an index array holds in place of random numbers, as in 'neighbours=(5*i+3)/2%100'")
}

var dataForm = regexp.MustCompile(`^(\w+)=\((\d+)\*i\+(\d+)\)/(\d+)%(\d+)$`)

// open derives the variants.
func (o *spaceOptions) open(path string, dev *device.Info) (*explore.Space, error) {
	p, err := loadProgram(path)
	if err != nil {
		return nil, err
	}
	sizes, err := parseOneSize(o.sizes)
	if err != nil {
		return nil, err
	}
	for _, name := range p.Sizes {
		if _, ok := sizes[name]; !ok {
			return nil, usagef("program %s needs its size %s, for example -s %s=4096", p.Name, name, name)
		}
	}
	for name := range sizes {
		if !slices.Contains(p.Sizes, name) {
			return nil, usagef("program %s has no size %s; it has %s", p.Name, name, strings.Join(p.Sizes, ", "))
		}
	}
	opt := explore.Options{Variants: o.variants, Ranges: o.ranges, Seed: o.seed, MaxGroup: o.group, Data: map[string]device.Sequence{}}
	if dev != nil {
		if dev.MaxWorkGroup > 0 && (opt.MaxGroup == 0 || opt.MaxGroup > dev.MaxWorkGroup) {
			opt.MaxGroup = min(1024, dev.MaxWorkGroup)
		}
		if dev.LocalMem > 0 {
			opt.MaxLocal = min(48<<10, dev.LocalMem)
		}
	}
	for _, text := range o.data {
		m := dataForm.FindStringSubmatch(strings.ReplaceAll(text, " ", ""))
		if m == nil {
			return nil, usagef("--data %q is not of the form name=(a*i+b)/c%%d", text)
		}
		var n [4]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(m[2+i], 10, 64); err != nil {
				return nil, usagef("--data %q: %v", text, err)
			}
		}
		opt.Data[m[1]] = device.Sequence{Mul: n[0], Add: n[1], Div: n[2], Mod: n[3]}
	}
	if _, err := p.AtSizes(sizes); err != nil {
		return nil, &usageError{err}
	}
	return explore.NewSpace(p, filepath.Base(path), sizes, opt)
}

func liftShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show PROG.lift",
		Short: "Print a program with its type",
		Args:  exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := loadProgram(args[0])
			if err != nil {
				return err
			}
			var assumed []string
			for _, a := range p.Assumptions() {
				assumed = append(assumed, a.String())
			}
			if wantJSON(cmd) {
				inputs := []map[string]string{}
				for _, in := range p.Inputs {
					inputs = append(inputs, map[string]string{"name": in.Name, "type": in.Type.String()})
				}
				return printJSON(cmd.OutOrStdout(), map[string]any{
					"program": p.Name, "sizes": p.Sizes, "inputs": inputs, "type": p.Type().String(), "assumptions": assumed, "text": p.String(),
				})
			}
			fmt.Fprint(cmd.OutOrStdout(), p)
			fmt.Fprintf(cmd.OutOrStdout(), "\n# result: %v\n", p.Type())
			for _, a := range assumed {
				fmt.Fprintf(cmd.OutOrStdout(), "# assumes %s\n", a)
			}
			return nil
		},
	}
}

func liftRulesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "List the rewrite rules, and the macro rules made of them",
		Args:  exactArgs(0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wantJSON(cmd) {
				type rule struct {
					Name   string `json:"name"`
					Text   string `json:"text"`
					Source string `json:"source,omitempty"`
				}
				type macro struct {
					Name   string   `json:"name"`
					Says   string   `json:"says"`
					Params []string `json:"params,omitempty"`
				}
				list, macros := []rule{}, []macro{}
				for _, r := range rules.All() {
					list = append(list, rule{r.Name, r.String(), r.Source})
				}
				for _, m := range rules.Macros() {
					macros = append(macros, macro{m.Name, m.Says, m.Params})
				}
				return printJSON(cmd.OutOrStdout(), map[string]any{"rules": list, "macros": macros})
			}
			for _, r := range rules.All() {
				fmt.Fprintln(cmd.OutOrStdout(), r)
			}
			fmt.Fprintln(cmd.OutOrStdout(), "\nMacro rules:")
			for _, m := range rules.Macros() {
				name := m.Name
				if len(m.Params) > 0 {
					name += "(" + strings.Join(m.Params, ", ") + ")"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "  %-18s %s\n", name, m.Says)
			}
			return nil
		},
	}
}
