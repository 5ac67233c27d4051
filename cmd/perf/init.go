package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/internal/command/starter"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/launchfile"
	"gpuperf/launchfile/draft"
)

func initCommand() *cobra.Command {
	var query string
	cmd := &cobra.Command{
		Use:   "init DIR",
		Short: "Start a folder with a kernel, a model and a suite that work at once",
		Long: `init writes a commented kernel, a model and a suite into a folder, and prints the commands to type next. Their sizes suit the device:
a session takes seconds. Files that are there already stay as they are: init refuses to overwrite them.`,
		Example: `  perf init kernels`,
		Args:    exactArgs(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind := ""
			dev, err := openDevice(cmd, query)
			switch {
			case err == nil:
				kind = dev.Info().Type
				dev.Close()
			case query != "":
				return err
			default:
				warnf(cmd, warning.UnknownFacts, "sizes", "those for a CPU, as no device was found: %v", err)
			}
			sizes := starter.SizesFor(kind)
			if err := sizes.Write(args[0]); errors.Is(err, fs.ErrExist) {
				return usage(err)
			} else if err != nil {
				return err
			}
			return show(cmd, map[string]any{"folder": args[0], "files": starter.Files, "next": sizes.Next()}, func(w io.Writer) error {
				for _, f := range starter.Files {
					fmt.Fprintf(w, "%-*s  %s\n", len(args[0])+1+len(starter.Files[0].Name), filepath.Join(args[0], f.Name), f.Doc)
				}
				fmt.Fprintf(w, "\nnext:\n  cd %s\n", args[0])
				for _, line := range sizes.Next() {
					fmt.Fprintf(w, "  %s\n", line)
				}
				return nil
			})
		},
	}
	cmd.AddCommand(initLaunchCommand())
	cmd.Flags().StringVar(&query, "device", "", "the device that the sizes are for, as perf devices lists it (default: the one that would be used)")
	return cmd
}

func initLaunchCommand() *cobra.Command {
	var from []string
	var name, out string
	cmd := &cobra.Command{
		Use:   "launch --from kernel.cu",
		Short: "Start a launch file for a kernel that exists",
		Long: `init launch writes a commented launch file (perf help launch) for a kernel in OpenCL C, CUDA C, PTX or a cubin: its name, its arguments
by the types of its parameters, and sizes. What the file does not tell is a guess, and its comment says so: check how many elements each
buffer has. Simple kernels can be measured at once.

An export of Nsight Compute (ncu --csv --page raw) tells the grid and the block that a kernel was launched with; give it beside the
source: --from app.ncu.csv --from kernel.cu.`,
		Example: `  perf init launch --from examples/launch/saxpy.cu -k saxpy`,
		Args:    exactArgs(0, "the file as --from"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(from) == 0 {
				return usagef("give the file with the kernel: --from kernel.cu (or %s)", strings.Join(draft.Extensions(), ", "))
			}
			k := throw.Get(draft.Read(from, name))
			path := cmp.Or(out, k.Base()+launchfile.Extensions[0])
			if err := k.Create(path); errors.Is(err, fs.ErrExist) {
				return usage(err)
			} else if err != nil {
				return err
			}
			next := "perf measure " + path
			return show(cmd, map[string]any{"file": path, "kernel": k.Name, "next": []string{next}}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s  a launch of %s; check what its comments call a guess, then: %s\n", path, k.Name, next)
				return err
			})
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&from, "from", nil, "a file with the kernel: "+strings.Join(draft.Extensions(), ", ")+"; may be repeated")
	flags.StringVarP(&name, "kernel", "k", "", "the kernel, where the file has several")
	flags.StringVarP(&out, "output", "o", "", "the launch file to write (default: named by the kernel, here)")
	return cmd
}
