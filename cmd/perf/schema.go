package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/fleet"
	"gpuperf/internal/source"
	"gpuperf/launchfile"
	"gpuperf/models"
	"gpuperf/samples"
)

// schemas are the JSON schemas of file formats.
var schemas = map[string]string{
	"campaign": string(fleet.Schema),
	"launch":   string(launchfile.Schema),
	"model":    string(models.Schema),
	"profile":  string(calibrate.ProfileSchema),
	"samples":  samples.Schema,
	"suite":    string(evaluate.Schema),
}

func schemaCommand() *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas))
	return &cobra.Command{
		Use:   "schema FORMAT",
		Short: "Print the JSON schema of a file format, for editors",
		Long: `schema prints the JSON schema of a file format: ` + strings.Join(names, ", ") + `. Editors check and complete files by it. Of samples it is that of a
line. With --json the schema is a text in an object.`,
		Example:   `  perf schema campaign`,
		ValidArgs: names,
		Args:      exactArgs(1, "a format: "+strings.Join(names, ", ")),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, known := schemas[args[0]]
			if !known {
				return usagef("there is no schema of %s; %s", args[0], source.Suggest(args[0], names))
			}
			return showText(cmd, map[string]any{"format": args[0], "schema": text}, text)
		},
	}
}
