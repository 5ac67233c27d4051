package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpuperf/internal/warning"
	"gpuperf/starter"
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
	cmd.Flags().StringVar(&query, "device", "", "the device that the sizes are for, as perf devices lists it (default: the one that would be used)")
	return cmd
}
