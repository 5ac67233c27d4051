package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"gpuperf/internal/command/report"
)

func reportCommand() *cobra.Command {
	var to, title string
	cmd := &cobra.Command{
		Use:   "report FILE... -o report.html",
		Short: "Show samples, profiles and results of commands as one web page",
		Long: `report makes one web page of what other commands have left: ` + report.Known + `. Tables are sorted by a click, pictures tell more under the
pointer; the page needs no other file, no network, and no JavaScript to be read.`,
		Example: `  perf report testdata/h200/matmul_2_2.jsonl -o page.html`,
		Args:    minArgs(1, "a file with results"),
		RunE: func(cmd *cobra.Command, args []string) error {
			page := report.Page{}
			for _, path := range args {
				section, err := report.Read(path)
				if err != nil {
					return usage(err)
				}
				page.Sections = append(page.Sections, section)
			}
			page.Title = cmp.Or(title, page.Of())
			writePage(to, &page)
			return showText(cmd, map[string]any{"page": to, "sections": len(page.Sections)}, "page: "+to+"\n")
		},
	}
	cmd.Flags().StringVarP(&to, "output", "o", "report.html", "the page to write")
	cmd.Flags().StringVar(&title, "title", "", "the title of the page (default: those of its sections)")
	return cmd
}
