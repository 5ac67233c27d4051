package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
	gpu "gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/advise"
	"gpuperf/internal/campaign"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// byModel is what --from says for predictions by a calibrated model alone.
const byModel = "model"

// addFrom adds where the work of launches comes from that are predicted.
func (o *predictFlags) addFrom(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.from, "from", "", "what is emulated: binary (machine code) or source (code of perf's own compiler), or model, for which nothing is; by "+
		"default of kernels that exist (.cu, .cl, launch files) the first of these that is at hand, and of others the model, unless the device has no profile")
}

// byEmulator are predictions by emulation, for a device that is emulated: of all arguments where that is asked for or the device has no profile, else where all of them
// are kernels that exist, as launch files or as the functions of a file. None are without an error where the model is to predict; said is why, where that is not what one
// would expect.
func (o *predictFlags) byEmulator(cmd *cobra.Command, args []string, r launches.Request) (all []*launches.Report, said string, err error) {
	fixed := o.from != ""
	switch {
	case fixed && !slices.Contains(append(launches.Origins, byModel), o.from):
		return nil, "", usagef("--from is source, binary or %s, not %q", byModel, o.from)
	case o.from == byModel, !fixed && (o.model != "" || o.binary != ""):
		return nil, "", nil
	}
	launched := !slices.ContainsFunc(args, func(arg string) bool { return !campaign.AreLaunches([]string{arg}, "") })
	if r.Compare && !launched && !fixed { // what has no counts is emulated, and so is what it is compared with
		_, uncounted, _ := campaign.SplitLaunches(cmd.Context(), o.files, args)
		launched, fixed = len(uncounted) > 0, len(uncounted) > 0
	}
	written := launched || !slices.ContainsFunc(args, func(arg string) bool { return !isWritten(arg) })
	if !fixed && !written && (o.profile == "" || campaign.IsProfile(o.profile)) {
		return nil, "", nil
	}
	device, profiled, err := o.sheet(cmd, written)
	if err != nil || device == "" {
		if fixed && err == nil {
			err = usagef("the device of the profile is none that is emulated: perf emulate names those")
		}
		return nil, "", err
	}
	if fixed = fixed || !profiled; !fixed && o.refined(cmd, args) {
		return nil, "predicted by the model, which is refined for it; --from binary and --from source emulate it", nil
	}
	why, err := o.modelled(cmd)
	switch {
	case err == nil && fixed && why == coldCaches:
		err = usagef("%s: give --from model, or a profile of warm caches and no --cache cold", why)
	case err == nil && !fixed && why != "":
		return nil, "predicted by the model, as " + why + "; otherwise kernels that exist are emulated", nil
	}
	if err != nil {
		return nil, "", err
	}
	sequences, err := o.sequences(cmd, args)
	if err != nil {
		return nil, "", err
	}
	r.On, r.From = []string{device}, o.from
	all, warnings, err := r.Run(cmd.Context(), sequences)
	if err == nil {
		err = undecided(all, !fixed && !launched)
	}
	if _, refused := gpu.AsError(err); err != nil && !fixed && !refused && cmd.Context().Err() == nil {
		return nil, "predicted by the model: " + source.Message(err), nil
	}
	warn(cmd, warnings)
	return all, "", err
}

// isWritten reports whether an argument is a file with kernels that exist: functions in CUDA C or OpenCL C, or a launch file.
func isWritten(arg string) bool {
	file, _, _ := source.CutName(arg)
	return campaign.AreLaunches([]string{arg}, "") || slices.Contains([]string{".cu", ".cl"}, filepath.Ext(file))
}

// coldCaches is why emulation does not answer for the caches that are asked for.
const coldCaches = "emulation is of warm caches"

// modelled is for what that is asked for the model must predict; "" for nothing.
func (o *predictFlags) modelled(cmd *cobra.Command) (string, error) {
	caches, err := o.caches(cmd)
	if err != nil {
		return "", err
	}
	if caches == "" {
		caches = o.calibrated(cmd)
	}
	switch {
	case caches == samples.Cold:
		return coldCaches, nil
	case len(o.files.Assume) > 0:
		return "--assume says of its counts what holds", nil
	case o.roofs:
		return "--roofline draws what it counts", nil
	}
	return o.only, nil
}

// undecided is that launches have no time of their own, as nobody says what their buffers hold. A launch file can, so that only functions are asked.
func undecided(all []*launches.Report, functions bool) error {
	for _, r := range all {
		if functions && r.Status() != emulate.Whole {
			why := r.Longest().Why()
			more := ""
			if n := len(why) - 1; n > 0 {
				more = fmt.Sprintf(", and %d more like this", n)
			}
			return fmt.Errorf("%s%s; a launch file can say what buffers hold, and --from source takes what is supposed", why[0], more)
		}
	}
	return nil
}

// refined reports whether the profile has a model that is refined for the kernel of each file.
func (o *predictFlags) refined(cmd *cobra.Command, args []string) bool {
	path, err := o.path(cmd)
	if err != nil {
		return false
	}
	profile, err := campaign.LoadProfile(path)
	return err == nil && !slices.ContainsFunc(args, func(arg string) bool { return !campaign.RefinedFor(profile, arg) })
}

// sequences are the launches that arguments describe: launch files, and kernels of files at sizes.
func (o *predictFlags) sequences(cmd *cobra.Command, args []string) (all []*launches.Sequence, err error) {
	defer throw.Catch(&err)
	given := throw.Get(parseArguments(o.sizes))
	for _, path := range args {
		sizes := o.without(cmd, given, path, args)
		var more []*launches.Sequence
		if campaign.AreLaunches([]string{path}, "") {
			if err = checkLaunch(cmd, path, sizes); err == nil {
				more, err = launches.LoadAll(path, sizes)
			}
		} else if isProgram(path) {
			var s *launches.Sequence
			s, err = o.programSequence(cmd, path, args)
			more = append(more, s)
		} else {
			more, err = o.kernels(cmd, path, sizes)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// kernels are the kernels of a file as launches: of a source that exists as it is, else of CUDA C that is written from the kernel.
func (o *predictFlags) kernels(cmd *cobra.Command, path string, sizes []map[string]int64) (all []*launches.Sequence, err error) {
	cases, err := campaign.Cases(cmd.Context(), o.files, []string{path}, sizes)
	if err != nil {
		return nil, err
	}
	return advise.SequencesOf(cases)
}

// sheet is the device that is predicted for as data sheets name it, "" where it is none that is emulated, and whether there is a profile of it. Kernels that exist need
// none: where nobody has named a profile or made one, they are for the usual device.
func (o *predictFlags) sheet(cmd *cobra.Command, written bool) (name string, profiled bool, err error) {
	if own, _, err := ownProfiles(); written && o.profile == "" && err == nil && len(own) == 0 {
		return gpuHere(cmd.Context()), false, nil
	}
	path, err := o.path(cmd)
	if err != nil {
		return "", false, err
	}
	_, absent := os.Stat(path)
	if name, profiled = o.profile, absent != nil && profiles.All.Has(path); !profiled { // those that come with the program have the names of data sheets
		var profile *calibrate.Profile
		if profile, err = campaign.LoadProfile(path); err == nil {
			name, profiled = profile.Device.Name, true
		}
	}
	d, missing := facts.Sheet(name)
	if missing == nil {
		_, _, missing = emulate.Device(d)
	}
	switch {
	case missing == nil:
		return d.Name(), profiled, nil
	case profiled:
		return "", true, nil
	}
	if absent != nil && filepath.Base(path) == path {
		err = source.At("", "", source.Pos{}, "%v", err).WithHint("by their data sheets are emulated: %s", strings.Join(emulable(), ", "))
	}
	return "", false, err
}

// emulable are the devices that emulation has all that it needs of.
func emulable() (names []string) {
	_, all := facts.Named("")
	for _, name := range all {
		if d, _ := facts.Named(name); d.Name() == name {
			if _, _, err := emulate.Device(d); err == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// predict predicts the kernels of a file.
func (o *predictFlags) predict(cmd *cobra.Command, args []string) (err error) {
	defer throw.Catch(&err)
	if done, err := o.emulate(cmd, args, false, 0); done || err != nil {
		return err
	}
	cases := throw.Get(fileCases(cmd, o.files, args[0], o.sizes))
	p := throw.Get(o.open(cmd, cases))
	cases = runnable(cmd, p, cases)
	predictions := throw.Get(p.PredictAll(cases))
	if o.measured {
		c, mode := throw.Get2(o.campaign(cmd, p, nil, predictions))
		defer finish(cmd, c)
		o.measure(cmd, c, mode, p, predictions)
	}
	predictions, emulated := throw.Get2(o.narrowing(cmd, p).split(cmd, predictions, launches.Request{Times: true}))
	return show(cmd, kernelsJSON(append(p.Summaries(predictions), emulatedSummaries(emulated, nil)...)), func(w io.Writer) error {
		warnOf(cmd, predictions)
		if len(predictions) > 0 {
			if err := p.Write(w, predictions); err != nil {
				return err
			}
		}
		if len(emulated) == 0 {
			return nil
		}
		return writeEmulated(w, emulated, nil, false)
	})
}
