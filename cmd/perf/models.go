package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/models"
	"gpuperf/models/library"
)

func modelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "models [NAME]",
		Short: "List the model files that come with the program, or print one",
		Long: `models lists the models that come with the program. Where a model file is asked for, the name of one will do:
perf calibrate linear. Given a name it prints the file, to start an own model from: perf models matmul > mine.yaml.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				text, err := library.Text(args[0])
				if err != nil {
					return &usageError{err}
				}
				if wantJSON(cmd) {
					return printJSON(cmd.OutOrStdout(), map[string]string{"name": args[0], "text": string(text)})
				}
				_, err = cmd.OutOrStdout().Write(text)
				return err
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"models": library.Entries()})
			}
			t := newTable("model", "parameters", "what it is for")
			for _, e := range library.Entries() {
				m, err := library.Load(e.Name)
				if err != nil {
					return err
				}
				t.row(e.Name, fmt.Sprint(len(m.ParameterNames())), e.Doc)
			}
			t.write(cmd.OutOrStdout())
			return nil
		},
	}
}

// loadModel reads a model file, or one that comes with the program by its name. A file of that name goes first.
func loadModel(path string) (*models.Model, error) {
	m, err := models.Load(path)
	if errors.Is(err, fs.ErrNotExist) && isName(path) {
		if library.Has(path) {
			return library.Load(path)
		}
		return nil, usagef("no file %s, and no model of that name comes with the program; there are: %s", path, strings.Join(library.Names(), ", "))
	}
	return m, err
}

// isName tells a model's name from a path.
func isName(path string) bool { return filepath.Base(path) == path && filepath.Ext(path) == "" }

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
