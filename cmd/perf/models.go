package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpuperf/internal/format"
	"gpuperf/models/library"
)

func modelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "models [NAME]",
		Short: "List the model files that come with the program, or print one",
		Long: `models lists the models that come with the program. Where a model file is asked for, the name of one will do:
perf calibrate linear. Given a name it prints the file, to start an own model from: perf models matmul > my-model.yaml.`,
		Example: `  perf models
  perf models linear`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				text, err := library.Text(args[0])
				if err != nil {
					return usage(err)
				}
				return showText(cmd, map[string]string{"name": args[0], "text": string(text)}, string(text))
			}
			t := format.NewTable("model", "parameters", "what it is for")
			for _, e := range library.Entries() {
				m, err := library.Load(e.Name)
				if err != nil {
					return err
				}
				t.Row(e.Name, fmt.Sprint(len(m.ParameterNames())), e.Doc)
			}
			return show(cmd, map[string]any{"models": library.Entries()}, t.Write)
		},
	}
}
