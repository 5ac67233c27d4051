package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/internal/command/stock"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
)

func profileCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "profile",
		Short: "List, show, compare, copy and remove the profiles of devices",
		Long: `profile keeps house among the profiles that perf calibrate has made: they are in the data directory, which list names. Where a profile is asked
for, its name in the list will do, the path of a file, or the name of one that comes with the program.`,
	}
	cmd.AddCommand(profileListCommand(), profileShowCommand(), profileDiffCommand(), profileRemoveCommand(), profileExportCommand(), profileImportCommand())
	return cmd
}

func profileListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the profiles, and say which may no longer hold",
		Long: `list shows the profiles of the data directory and those that come with the program. A profile is in doubt where its device has another
driver or clock now, where the program has another version of its model, or cannot read it.`,
		Example: `  perf profile list`,
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			data := throw.Get(dataDir())
			here, _ := measure.Devices(cmd.Context(), measure.Options{}) // without a device nothing is compared with it
			all := throw.Get(stock.Profiles(data, here))
			bytes, files := stock.Size(data)
			return show(cmd, map[string]any{"data": data, "bytes": bytes, "files": files, "profiles": all}, func(w io.Writer) error {
				t := format.NewTable("profile", "device", "caches", "models", "calibrated", "doubts")
				for _, p := range all {
					date := "comes with the program"
					switch {
					case p.Path == "":
					case p.Date.IsZero(): // of one that came with the program, and was imported
						date = ""
					default:
						date = p.Date.Local().Format("2006-01-02 15:04")
					}
					doubts := []string{p.Error}[:min(1, len(p.Error))]
					for _, d := range p.Doubts {
						doubts = append(doubts, d.Text)
					}
					t.Row(p.Name, p.Device, p.Cache, strings.Join(p.Models, ", "), date, strings.Join(doubts, "; "))
				}
				if err := t.Write(w); err != nil {
					return err
				}
				_, err := fmt.Fprintf(w, "%s: %d files, %s\n", data, files, format.Bytes(bytes))
				return err
			})
		},
	}
}

// namedProfile is the path of a profile that an argument names, and the data directory.
func namedProfile(name string) (path, data string, err error) {
	if data, err = dataDir(); err == nil {
		path, err = stock.Find(data, name)
	}
	return path, data, usageOr(err)
}

// usageOr is usage of an error, nil of none.
func usageOr(err error) error {
	if err == nil {
		return nil
	}
	return usage(err)
}

func profileShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show PROFILE",
		Short:   "Show the models of a profile with their parameters",
		Example: `  perf profile show h200`,
		Args:    exactArgs(1, "a profile"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, _ := throw.Get2(namedProfile(args[0]))
			p := throw.Get(campaign.LoadProfile(path))
			warn(cmd, p.Warnings())
			fits := []*calibrate.Fit{}
			for i := range p.Models {
				fits = append(fits, &p.Models[i].Fit)
			}
			return show(cmd, map[string]any{"device": p.Device, "roof": p.Roof, "models": fits}, func(w io.Writer) error {
				fmt.Fprintf(w, "device: %s\n", p.Device)
				for _, r := range p.Roof {
					fmt.Fprintf(w, "highest rate of %s: %s, by %s\n", r.Resource, format.Rough(r.Rate, r.Unit), r.Kernel)
				}
				for _, f := range fits {
					fmt.Fprintln(w)
					f.Write(w, false)
				}
				return nil
			})
		},
	}
}

func profileDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff PROFILE PROFILE",
		Short: "Compare the parameters of two profiles",
		Long: `diff lists each parameter of the models of two profiles, the ratio of the second to the first, and their distance in standard deviations, which
tells whether they differ by more than the measurements scatter.`,
		Example: `  perf profile diff h200 h200`,
		Args:    exactArgs(2, "two profiles"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var paths [2]string
			for i, name := range args {
				paths[i], _ = throw.Get2(namedProfile(name))
			}
			was := throw.Get(campaign.LoadProfile(paths[0]))
			is := throw.Get(campaign.LoadProfile(paths[1]))
			all := stock.Diff(was, is)
			return show(cmd, map[string]any{"was": was.Device, "is": is.Device, "parameters": all}, func(w io.Writer) error {
				fmt.Fprintf(w, "first:  %s\nsecond: %s\n", was.Device, is.Device)
				t := format.NewTable("model", "parameter", ">first", ">second", "unit", ">ratio", ">deviations")
				known := func(v float64, text string) string {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						return "-"
					}
					return text
				}
				for _, d := range all {
					t.Row(d.Model, d.Parameter, known(d.Was, fmt.Sprintf("%.4g", d.Was)), known(d.Is, fmt.Sprintf("%.4g", d.Is)), d.Unit,
						known(d.Ratio(), fmt.Sprintf("%.3f", d.Ratio())), known(d.Deviations, fmt.Sprintf("%.1f", d.Deviations)))
				}
				return t.Write(w)
			})
		},
	}
}

func profileRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove PROFILE",
		Short: "Remove a profile from the data directory",
		Long:  `remove deletes a profile. The samples that it was made from stay, so that perf calibrate makes it again without measuring.`,
		Example: `  perf profile export h200 h200.yaml
  perf profile import h200.yaml
  perf profile remove nvidia-h200-cuda`,
		Args: exactArgs(1, "a profile"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, _ := throw.Get2(namedProfile(args[0]))
			if err := os.Remove(path); errors.Is(err, fs.ErrNotExist) {
				return usagef("the profile %s comes with the program, and cannot be removed", path)
			} else if err != nil {
				return err
			}
			return showText(cmd, map[string]any{"removed": path}, "removed "+path+"\n")
		},
	}
}

func profileExportCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "export PROFILE FILE.yaml",
		Short:   "Copy a profile to a file, for another machine",
		Example: `  perf profile export h200 h200.yaml`,
		Args:    exactArgs(2, "a profile and the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, _ := throw.Get2(namedProfile(args[0]))
			throw.If(stock.Copy(path, args[1]))
			return showText(cmd, map[string]any{"profile": args[1]}, "profile: "+args[1]+"\n")
		},
	}
}

func profileImportCommand() *cobra.Command {
	var replace bool
	cmd := &cobra.Command{
		Use:   "import FILE.yaml",
		Short: "Check a profile and put it into the data directory",
		Long:  `import copies a profile to where the commands look for that of its device. It replaces none, but with --replace.`,
		Example: `  perf profile export h200 h200.yaml
  perf profile import h200.yaml`,
		Args: exactArgs(1, "a profile"),
		RunE: func(cmd *cobra.Command, args []string) error {
			data := throw.Get(dataDir())
			to, err := stock.Import(data, args[0], replace)
			if err != nil {
				return usage(err)
			}
			return showText(cmd, map[string]any{"profile": to}, "profile: "+to+"\n")
		},
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "replace the profile of the device that is there")
	return cmd
}
