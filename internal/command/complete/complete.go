// Package complete offers a shell what may stand on the command line of commands.
//
// Which arguments a command takes is read from its line of usage: in "feature KERNEL.star FEATURE... -p n=2048" a kernel and then
// features. Tables say what completes each word of such lines, and each flag. Add joins them with the commands. What is offered comes
// from the tables of the program, and from files.
package complete

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuperf/internal/lists"
)

// Options say where things are.
type Options struct {
	Profiles func() []string // the profiles of devices that were calibrated here
}

// call is a command line up to the word that is being completed.
type call struct {
	Options
	cmd  *cobra.Command
	args []string
}

// offer lists what may stand in place of a word that has been begun. What ends in one of the letters of open goes on after it.
type offer func(c *call, begun string) []string

// open are the ends of what is offered after which a word goes on.
const open = "/=:#_"

// Add lets a command and all below it complete their arguments and flags.
func Add(root *cobra.Command, o Options) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	for _, cmd := range root.Commands() {
		Add(cmd, o)
	}
	if root.ValidArgsFunction != nil {
		return
	}
	root.ValidArgsFunction = o.function(func(c *call, begun string) (all []string) {
		return lists.Flat(argumentAt(root.Use, len(c.args)), func(word string) []string { return arguments[word](c, begun) })
	})
	root.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if offer := flagOffer(root, f); offer != nil {
			root.RegisterFlagCompletionFunc(f.Name, o.function(offer)) // fails where there is one
		}
	})
}

// flagOffer is what completes a flag of a command; nil where nothing does.
func flagOffer(cmd *cobra.Command, f *pflag.Flag) offer {
	if own := flags[strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")+" --"+f.Name]; own != nil {
		return own
	}
	return flags["--"+f.Name]
}

// function makes the form of cobra.
func (o Options) function(offer offer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		found := offer(&call{o, cmd, args}, begun)
		seen := map[string]bool{} // two offers may both have a folder
		found = slices.DeleteFunc(found, func(text string) bool {
			again := seen[text]
			seen[text] = true
			return again || !strings.HasPrefix(text, begun)
		})
		directive := cobra.ShellCompDirectiveNoFileComp
		for _, text := range found {
			if word, _, _ := strings.Cut(text, "\t"); strings.ContainsAny(word[len(word)-1:], open) {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
		return found, directive
	}
}

// argumentAt returns the words that stand for argument number i in a line of usage, which has alternatives between " | ".
// The last word may stand for several arguments.
func argumentAt(use string, i int) (found []string) {
	for alternative := range strings.SplitSeq(strings.NewReplacer("[", "", "]", "").Replace(use), " | ") {
		var words []string
		several := ""
		fields := strings.Fields(alternative)
		for k, word := range fields {
			name, repeats := strings.CutSuffix(word, "...")
			if arguments[name] == nil || k > 0 && strings.HasPrefix(fields[k-1], "-") {
				continue
			}
			if words = append(words, name); repeats {
				several = name
			}
		}
		switch {
		case i < len(words):
			found = append(found, words[i])
		case several != "":
			found = append(found, several)
		}
	}
	return found
}
