package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/launch"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/lift/explore"
	"gpuperf/lift/export"
	"gpuperf/lift/rank"
	"gpuperf/samples"
)

func liftDeriveCommand() *cobra.Command {
	var o spaceOptions
	cmd := &cobra.Command{
		Use:   "derive PROG.lift [-p n=4096]",
		Short: "Derive low-level variants by rewriting",
		Long: `derive enumerates distinct low-level variants of a program that are valid at the sizes (by default 4096, or 16777216 where the
program has only one size), in a fixed order for a seed. With --json each comes with the rules that derived it, and where they applied.`,
		Example: `  perf lift derive examples/lift/dot.lift -p n=4096 --count 20`,
		Args:    exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.AnySize = true
			s := o.open(args[0], nil)
			r, skeletons := s.Derived, map[string]bool{}
			list := []explore.VariantJSON{}
			for _, v := range r.Variants {
				skeletons[v.Skeleton] = true
				list = append(list, explore.JSON(v))
			}
			note(cmd, "%s with %s from %s; %s tried, %d gave a variant found before; %s with ND-ranges",
				format.Count(len(list), "variant"), format.Count(len(skeletons), "skeleton"), format.Count(r.Recipes, "recipe"),
				format.Count(r.Tried, "point"), r.Same, format.Count(len(s.Points), "design point"))
			return showCode(cmd, map[string]any{"program": s.Program.Name, "variants": list}, func(w io.Writer) error {
				for _, v := range list {
					fmt.Fprintf(w, "%s  %s\n    %s\n", v.ID, v.Recipe, v.Term)
				}
				return nil
			})
		},
	}
	o.addFlags(cmd)
	return cmd
}

// pointOptions choose one design point.
type pointOptions struct {
	spaceOptions
	variant       string
	local, global string
}

func (o *pointOptions) addFlags(cmd *cobra.Command) {
	o.addVariant(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.local, "local", "", "the work-group, as 64x4 (default: what fits the maps of the variant)")
	flags.StringVar(&o.global, "global", "", "the work-items of the launch, as 4096x1024 (default: enough for all elements)")
}

// addVariant adds the flags that choose a variant.
func (o *pointOptions) addVariant(cmd *cobra.Command) {
	o.spaceOptions.addFlags(cmd)
	cmd.Flags().StringVar(&o.variant, "variant", "", "the variant, as derive names it, or the start of that; the reference without")
}

// extent reads 64x4, or 64,4.
func extent(flag, text string) (out [3]int64, err error) {
	if text == "" {
		return out, nil
	}
	out = [3]int64{1, 1, 1}
	parts := strings.Split(strings.ReplaceAll(text, ",", "x"), "x")
	if len(parts) > 3 {
		return out, usagef("--%s %s: at most three dimensions", flag, text)
	}
	for i, p := range parts {
		if out[i], err = strconv.ParseInt(p, 10, 64); err != nil || out[i] < 1 {
			return out, usagef("--%s %s: %q is not a positive integer", flag, text, p)
		}
	}
	return out, nil
}

// point finds the design point: that of the reference where no variant is named.
func (o *pointOptions) point(path string, dev *device.Info) (_ *explore.Space, _ *explore.Point, err error) {
	defer throw.Catch(&err)
	if o.variant == "" {
		o.Variants = explore.Enough
	}
	s := o.open(path, dev)
	var v *derive.Variant
	if o.variant != "" {
		if v, err = s.Variant(o.variant); err != nil {
			return nil, nil, usage(err)
		}
	} else {
		r := throw.Get(s.Reference())
		v = r.Variant
	}
	p, err := o.place(v)
	return s, p, err
}

// place gives a variant its ND-range.
func (o *pointOptions) place(v *derive.Variant) (p *explore.Point, err error) {
	p = &explore.Point{Variant: v}
	if p.Local, err = extent("local", o.local); err == nil {
		p.Global, err = extent("global", o.global)
	}
	return p, err
}

func liftEmitCommand() *cobra.Command {
	var o pointOptions
	var as string
	cmd := &cobra.Command{
		Use:     "emit PROG.lift -p n=4096 --variant ID",
		Short:   "Print the generated source of a variant",
		Example: `  perf lift emit examples/lift/dot.lift -p n=4096 --count 20`,
		Args:    exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, p := throw.Get2(o.point(args[0], nil))
			language := as
			if !slices.Contains(export.Languages(), as) {
				language = "opencl" // whose launches are told
			}
			r, err := export.New(export.What{Program: s.Program, Variant: p.Variant, Sizes: s.Sizes, Local: p.Local, Global: p.Global, Accuracy: s.Accuracy()}, language)
			if err != nil {
				if as != "lift" && as != "derivation" {
					return err
				}
				warnf(cmd, warning.LeftOut, "", "no kernels come of it: %v", err)
				r = &export.Result{}
			}
			var text string
			switch as {
			case language:
				text = r.Kernels
				for _, l := range r.Launches {
					note(cmd, "launch %s: %v work-items in groups of %v", l.Kernel, l.Global, l.Local)
				}
				if r.Options != "" {
					note(cmd, "compile with %s", r.Options)
				}
			case "lift":
				text = p.Variant.Program.String()
			case "derivation":
				text = p.Variant.Derivation(s.Program).String()
			case "ir":
				l := throw.Get(s.Lower(p))
				text = l.Program.String()
			default:
				return usagef("--as %s: it is %s, ir, lift or derivation", as, strings.Join(export.Languages(), ", "))
			}
			return showText(cmd, map[string]any{
				"program": s.Program.Name, "variant": p.Variant.ID, "as": as, "text": text,
				"arguments": r.Arguments, "temporaries": r.Temporaries, "launches": r.Launches,
			}, text)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&as, "as", "opencl", "what to print: "+strings.Join(export.Languages(), ", ")+", ir, lift (the term) or derivation (the rules that gave it)")
	return cmd
}

func liftRunCommand() *cobra.Command {
	var o pointOptions
	var on measureFlags
	cmd := &cobra.Command{
		Use:     "run PROG.lift -p n=4096 --variant ID",
		Short:   "Run a variant, compare its results, and measure it",
		Example: `  perf lift run examples/lift/dot.lift -p n=65536 --count 20`,
		Args:    exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c := throw.Get(on.open(cmd))
			defer finish(cmd, c)
			info := c.Device.Info()
			s, p := throw.Get2(o.point(args[0], &info))
			r, right := throw.Get2(verifiedOn(cmd, c, s))
			if s.Prepare([]*explore.Point{p}, launch.Options{}); p.Err != nil {
				return p.Err
			}
			job := throw.Get(s.Job(p, device.Policy{Trials: on.options.Trials}))
			job.Expect = throw.Get(r.Expect())
			result := throw.Get(c.Run(cmd.Context(), []measure.Task{{Job: job, Tags: rank.Tags(p.Variant.Recipe)}}, nil))
			warn(cmd, result.Warnings)
			rec := result.Records[0]
			if rec.Status != samples.OK {
				return fmt.Errorf("%s: %s: %s", rec.Kernel.Key(), rec.Status, rec.Error)
			}
			return showText(cmd, rec, fmt.Sprintf("%s  %s, %s, %s\n", rec.Kernel.Key(), format.Seconds(rec.Seconds()), format.Count(len(rec.Trials), "trial"), right))
		},
	}
	o.addFlags(cmd)
	addExpected(cmd, &o.Request)
	on.add(cmd)
	return cmd
}

// verifiedOn is the reference of a space, which has been compared with the program's meaning, and what is then known of results that agree with it.
func verifiedOn(cmd *cobra.Command, c *campaign.Campaign, s *explore.Space) (r *explore.Reference, right string, err error) {
	if r, err = s.Reference(); err != nil {
		return nil, "", err
	}
	live, right := c.Device, "results right"
	if !c.Live() { // recorded samples have no results
		live, right = nil, "results were right when it was recorded"
	}
	sizes, err := s.Verify(cmd.Context(), live)
	switch {
	case errors.Is(err, lift.ErrUndefined):
		warn(cmd, []error{explore.NotVerified(err)})
	case err != nil:
		return nil, "", err
	}
	note(cmd, "reference: %s", r.Text(sizes))
	return r, right, nil
}
