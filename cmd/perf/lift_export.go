package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device/facts"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/launch"
	"gpuperf/lift/derive"
	"gpuperf/lift/explore"
	"gpuperf/lift/export"
	"gpuperf/lift/rank"
)

func liftExportCommand() *cobra.Command {
	var o pointOptions
	var order rankOptions
	var best bool
	var dir, as string
	cmd := &cobra.Command{
		Use:   "export PROG.lift -p n=4096 --best -o DIR",
		Short: "Write a variant's kernels, a host function that calls them, and a description",
		Long: `export writes files by which a variant runs elsewhere, at the sizes given: NAME.c, or NAME.cu, with a function lift_NAME that
copies, launches and waits, in one call; its header; its kernels; and NAME.json with arguments, temporaries, ND-ranges and the order of launches,
for those who write their own host. --as c is for no device: the loops of the variant, one after the other, in plain C.

The variant is the one that --variant names; or with --best the fastest that a --database has recorded for these sizes; or, where there is none,
the first by a --ranker that learns from other programs of the databases, by the model of a --profile, or else by an estimate from the data sheet of --hardware.
Without these it is the plainest variant, with which others are compared.`,
		Example: `  perf lift export examples/lift/dot.lift -p n=65536 -o out
  perf lift export examples/lift/scal.lift -p n=4Ki --best --as c -o out`,
		Args: exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(export.Languages(), as) {
				return usagef("--as %s: it is one of %s", as, strings.Join(export.Languages(), ", "))
			}
			if best && o.variant != "" {
				return usagef("--best --variant %s: give one of them", o.variant)
			}
			if best && (o.local != "" || o.global != "") {
				return usagef("--best: it chooses the ND-range as well; name a --variant for one of your own")
			}
			s, p := order.space(cmd, &o, args[0], best, as)
			r := throw.Get(export.New(export.What{Program: s.Program, Variant: p.Point.Variant, Sizes: s.Sizes, Local: p.Point.Local, Global: p.Point.Global, Accuracy: s.Accuracy()}, as))
			if r.Why = p.Why; p.Passed > 0 {
				warnf(cmd, warning.LeftOut, "", "%d faster samples are of variants that are not among the %d derived; --count and --seed of their exploration may give them",
					p.Passed, len(s.Derived.Variants))
			}
			throw.If(r.Write(dir))
			return show(cmd, r, func(w io.Writer) error { return r.Print(w, dir) })
		},
	}
	o.addFlags(cmd)
	order.addFlags(cmd)
	flags := cmd.Flags()
	flags.Lookup("database").Usage = "samples of explorations: of this program for --best, and of others for rankers (may be repeated)"
	flags.BoolVar(&best, "best", false, "the fastest variant, as recorded or predicted")
	flags.StringVarP(&dir, "output", "o", "exported", "the folder for what is written")
	flags.StringVar(&as, "as", "opencl", "what to write: "+strings.Join(export.Languages(), ", "))
	return cmd
}

// rankOptions say how points are ordered.
type rankOptions struct {
	static    staticOptions
	model     modelOptions
	databases []string
	ranker    string
	traffic   bool
}

func (o *rankOptions) addFlags(cmd *cobra.Command) {
	o.static.addFlags(cmd, "")
	o.model.addFlags(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&o.databases, "database", nil, "samples of explorations to learn from, except those of this program (may be repeated)")
	flags.StringVar(&o.ranker, "ranker", rank.Default, "the ranker")
	trafficFlag(cmd, &o.traffic)
}

// trafficFlag lets the default ranker know what variants move between caches.
func trafficFlag(cmd *cobra.Command, traffic *bool) {
	cmd.Flags().BoolVar(traffic, "traffic", false, "order also by what moves between caches, where the databases have that: better, and takes some ten times as long")
}

// scorer learns from the databases how to order points of programs other than the named one, on a device that is found.
func (o *rankOptions) scorer(cmd *cobra.Command, program string) (rank.Scorer, launch.Options, error) {
	r, err := findRanker(o.ranker, o.model)
	if err != nil {
		return nil, launch.Options{}, err
	}
	opt, err := o.static.static(0)
	if err != nil {
		return nil, opt, err
	}
	db, err := loadDatabase(cmd, o.databases, program, false)
	if err != nil {
		return nil, opt, err
	}
	if opt.Device == nil {
		opt.Device = db.Device
	}
	if opt.Device == nil {
		if opt.Device, err = o.model.device(cmd); err != nil {
			return nil, opt, err
		}
	}
	opt.Traffic = o.traffic
	train := db.Common(opt.Names())
	if _, err := o.model.predict(cmd, train); err != nil { // the points to order are predicted by any model
		return nil, opt, err
	}
	scorer, err := r.Fit(train)
	return scorer, opt, err
}

// space derives the variants of a program and chooses one of them with its ND-range.
func (o *rankOptions) space(cmd *cobra.Command, p *pointOptions, path string, best bool, as string) (*explore.Space, *explore.Choice) {
	if !best {
		s, point, err := p.point(path, nil)
		throw.If(err)
		return s, &explore.Choice{Point: point}
	}
	s := p.open(path, nil)
	accept := func(v *derive.Variant) bool { return export.Accepts(v, as) }
	c, err := s.Recorded(o.databases, accept)
	if err != nil {
		throw.If(err)
		return s, nil
	}
	if c.Others > 0 {
		note(cmd, "%s passed over, whose divisions are rounded otherwise; --exact-division says which are wanted", format.Count(c.Others, "faster sample"))
	}
	if c.Data != nil {
		note(cmd, "the databases have samples at these sizes with other data alone: %s", cmp.Or(strings.Join(c.Data, " "), "random numbers, without --data"))
	}
	if c.Point != nil {
		return s, c
	}
	c, err = o.predicted(cmd, s, accept)
	throw.If(err)
	return s, c
}

// predicted is the best point without a run.
func (o *rankOptions) predicted(cmd *cobra.Command, s *explore.Space, accept func(*derive.Variant) bool) (*explore.Choice, error) {
	var scorer rank.Scorer
	var err error
	opt, why := launch.Options{}, "ranker "+o.ranker
	if !cmd.Flags().Changed("ranker") && o.model.profile != "" {
		o.ranker, why = "model", "the model of "+o.model.profile
	}
	learns := len(o.databases) > 0 || o.model.profile != ""
	if learns {
		scorer, opt, err = o.scorer(cmd, s.Program.Name)
		if errors.Is(err, rank.ErrNoPoint) && !cmd.Flags().Changed("ranker") {
			note(cmd, "the databases have no samples of this program at these sizes, and none of other programs to learn from: an estimate orders the variants")
			learns, opt.Traffic, err = false, false, nil
		}
	} else {
		opt, err = o.static.static(0)
	}
	if err == nil && !learns {
		if opt.Device == nil {
			opt.Device, _ = facts.Named(usualHardware)
		}
		why = fmt.Sprintf("an estimate for %s", opt.Device.Name())
		scorer, err = rank.Estimated(launch.Names(opt.Device), opt.Device)
	}
	if err != nil {
		return nil, err
	}
	if err := o.model.set(cmd, s, opt.Device); err != nil {
		return nil, err
	}
	if err := s.Narrow(scorer, opt, accept); err != nil {
		return nil, err
	}
	return s.Predicted(scorer, why, accept)
}

// usualHardware is the device of estimates where none is named.
const usualHardware = "NVIDIA H200"
