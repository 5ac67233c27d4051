package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/internal/campaign"
	"gpuperf/internal/throw"
	"gpuperf/lift"
	"gpuperf/lift/explore"
	"gpuperf/lift/rank"
	"gpuperf/lift/rules"
)

func liftCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lift",
		Short: "Derive, rank, emit and run variants of a functional program",
		Long: `lift works on programs in the language of package lift: array patterns such as map, reduce, zip and slide. Rewrite rules derive
low-level variants of a program, static features and a ranker that has learnt from other programs order them, and the best of
them are run, compared with a reference, and kept as samples. perf help lift describes the language.`,
		Args: cobra.ArbitraryArgs,
		RunE: chooseCommand,
	}
	for _, sub := range []func() *cobra.Command{
		liftShowCommand, liftEvalCommand, liftRulesCommand, liftDeriveCommand, liftEmitCommand, liftExportCommand, liftRunCommand,
		liftRankCommand, liftExploreCommand, liftDescribeCommand, liftRedundancyCommand, liftEvaluateCommand,
	} {
		cmd.AddCommand(sub())
	}
	return cmd
}

// spaceOptions say of which variants of a program a command speaks.
type spaceOptions struct {
	explore.Request
	sizes []string
}

func (o *spaceOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	if flags.Lookup("param") == nil { // commands that also take other files have it
		addSizeFlags(cmd, &o.sizes, "the sizes of the program, for example n=4096 or h=4k,w=4k")
	}
	flags.Int64Var(&o.Seed, "seed", 1, "seed of the random choices")
	addVariants(cmd, &o.Request)
}

// addVariants adds the flags of which variants of a program there are, and of its inputs.
func addVariants(cmd *cobra.Command, o *explore.Request) {
	flags := cmd.Flags()
	flags.IntVar(&o.Variants, "count", 1000, "the most variants to derive")
	flags.IntVar(&o.Ranges, "ranges", 10, "the most ND-ranges of each variant")
	flags.Int64Var(&o.MaxGroup, "max-group", 0, "the largest work-group (default what the device allows, or an H200)")
	flags.StringArrayVar(&o.Recipes, "recipe", nil, "derive only variants of this recipe, by its name as perf lift derive prints it (may be repeated)")
	flags.BoolVar(&o.Exact, "exact-division", false, "have divisions and square roots of float32 rounded correctly; without, they are within 2.5 and 3 units in the last place, as OpenCL C promises")
	flags.StringArrayVar(&o.Data, "data", nil, "what an input holds instead of random numbers: x=FILE.npy, x=signed, or a formula of the number i of an element, such as x=sin(0.1*i) or 'x=(5*i+3)/2%100' (may be repeated)")
}

// addExpected adds the flags of what results are compared with.
func addExpected(cmd *cobra.Command, o *explore.Request) {
	cmd.Flags().StringArrayVar(&o.Expected, "expect", nil, "a result to compare with, as out=FILE.npy, in place of those of a reference variant (may be repeated)")
	cmd.Flags().Float64Var(&o.Tolerance, "tolerance", 0, "how far results may be from these, relative to the element or to the usual magnitude in its array (default 1e-5, with reductions 1e-4)")
}

// atLeast refuses numbers of flags below what they can be.
func atLeast(least int64, flags map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if flags[name] < least {
			return usagef("--%s %d: must be at least %d", name, flags[name], least)
		}
	}
	return nil
}

// checkVariants refuses numbers that addVariants takes.
func checkVariants(o *explore.Request) {
	throw.If(errors.Join(
		atLeast(1, map[string]int64{"count": int64(o.Variants), "ranges": int64(o.Ranges)}),
		atLeast(0, map[string]int64{"max-group": o.MaxGroup}),
	))
}

// open derives the variants.
func (o *spaceOptions) open(path string, dev *device.Info) *explore.Space {
	checkVariants(&o.Request)
	sizes := throw.Get(parseOneSize(o.sizes))
	o.Sizes = sizes
	return throw.Get(o.Open(path, dev))
}

// modelOptions say by which calibrated model times are predicted.
type modelOptions struct {
	profile, model string
	opened         *campaign.Predictor
}

func (o *modelOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.profile, "profile", "", "a profile of the device, for the rankers that need predicted times"+shipped())
	cmd.Flags().StringVar(&o.model, "model", "", "the model to use, of those in the profile")
}

// open loads the model once; nil where no profile is given.
func (o *modelOptions) open(cmd *cobra.Command) (_ *campaign.Predictor, err error) {
	switch {
	case o.opened != nil:
	case o.profile != "":
		o.opened, err = (&predictFlags{profile: o.profile, model: o.model}).open(cmd, nil)
	case o.model != "":
		err = usagef("--model %s: give the --profile that holds it", o.model)
	}
	return o.opened, err
}

// device is the one whose limits and caches count unless another is named: that of the profile. Nil where none is given.
func (o *modelOptions) device(cmd *cobra.Command) (*facts.Device, error) {
	p, err := o.open(cmd)
	if p == nil || err != nil {
		return nil, err
	}
	return p.Facts, nil
}

// set has the times of points predicted, if a profile is given.
func (o *modelOptions) set(cmd *cobra.Command, s *explore.Space, device *facts.Device) error {
	p, err := o.open(cmd)
	if p == nil || err != nil {
		return err
	}
	return s.PredictBy(p, device)
}

// predict sets the predicted times of the points of a database, if a profile is given. What is kept of them is static features:
// known is false where the model has others, and nothing is set.
func (o *modelOptions) predict(cmd *cobra.Command, s *rank.Set) (known bool, err error) {
	p, err := o.open(cmd)
	if p == nil || err != nil {
		return true, err
	}
	if !rank.OfVectors(p.Model, s.Names) {
		return false, nil
	}
	cost, err := rank.NewCostModel(s.Names, p.Model, p.Fit)
	if err != nil {
		return true, err
	}
	cost.Predict(s)
	return true, nil
}

func liftShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show PROG.lift",
		Short:   "Print a program with its type",
		Example: `  perf lift show examples/lift/dot.lift`,
		Args:    exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p := throw.Get(lift.Load(args[0]))
			inputs, assumed, text := []map[string]string{}, []string(nil), fmt.Sprintf("%v\n# result: %v\n", p, p.Type())
			for _, in := range p.Inputs {
				inputs = append(inputs, map[string]string{"name": in.Name, "type": in.Type.String()})
			}
			for _, a := range p.Assumptions() {
				assumed = append(assumed, a.String())
				text += fmt.Sprintf("# assumes %s\n", a)
			}
			return showText(cmd, map[string]any{
				"program": p.Name, "sizes": p.Sizes, "inputs": inputs, "type": p.Type().String(), "assumptions": assumed, "text": p.String(),
			}, text)
		},
	}
}

func liftEvalCommand() *cobra.Command {
	var sizes []string
	cmd := &cobra.Command{
		Use:   "eval PROG.lift -p n=8",
		Short: "Evaluate a program at a small size, exactly",
		Long: `eval prints the result of a program by the meaning of its patterns, in exact rational numbers where its functions allow. Number i of an
input is (7 i + 3) mod 16, divided by 8 where it is no integer.`,
		Example: `  perf lift eval examples/lift/dot.lift -p n=8`,
		Args:    exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p := throw.Get(lift.Load(args[0]))
			at := throw.Get(parseOneSize(sizes))
			p, err := p.AtSizes(at)
			if err != nil {
				return usage(err)
			}
			if len(p.Sizes) > 0 {
				return usagef("program %s needs its size %s, for example -p %s=8", p.Name, p.Sizes[0], p.Sizes[0])
			}
			if err := explore.CheckExample(p); err != nil {
				return usage(err)
			}
			v := throw.Get(explore.Example(p))
			result := map[string]any{"program": p.Name, "at": at, "type": p.Type().String(), "value": explore.ValueJSON(v)}
			return showText(cmd, result, fmt.Sprintln(v))
		},
	}
	addSizeFlags(cmd, &sizes, "the sizes of the program, for example n=8")
	return cmd
}

func liftRulesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rules",
		Short:   "List the rewrite rules, and the macro rules made of them",
		Example: `  perf lift rules`,
		Args:    exactArgs(0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error {
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
			list, macros, text := []rule{}, []macro{}, ""
			for _, r := range rules.All() {
				list = append(list, rule{r.Name, r.String(), r.Origin()})
				text += fmt.Sprintf("%-24s %s", r.Name, r)
				if from := r.Origin(); from != "" {
					text += fmt.Sprintf("   (%s)", from)
				}
				text += "\n"
			}
			text += "\nMacro rules:\n"
			for _, m := range rules.Macros() {
				macros = append(macros, macro{m.Name, m.Says, rules.ParamNames(m.Params)})
				name := m.Name
				if len(m.Params) > 0 {
					name += "(" + strings.Join(rules.ParamNames(m.Params), ", ") + ")"
				}
				text += fmt.Sprintf("  %-18s %s\n", name, m.Says)
			}
			return showText(cmd, map[string]any{"rules": list, "macros": macros}, text)
		},
	}
}
