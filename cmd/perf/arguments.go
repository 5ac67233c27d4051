package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// exactArgs and minArgs are cobra's checks with the exit status of a wrong call.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %s, got %d arguments\n    usage: %s", cmd.CommandPath(), what, len(args), cmd.UseLine())
		}
		return nil
	}
}

func someArgs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usagef("%s takes %s, got %d arguments\n    usage: %s", cmd.CommandPath(), what, len(args), cmd.UseLine())
		}
		return nil
	}
}

func minArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef("%s needs %s\n    usage: %s", cmd.CommandPath(), what, cmd.UseLine())
		}
		return nil
	}
}

// bareSize is an argument that was meant for -p.
var bareSize = regexp.MustCompile(`^[A-Za-z_]\w*=[^=]`)

// bareSizes is the error of sizes among the arguments of a command that takes them after -p; nil where there are none.
func bareSizes(cmd *cobra.Command, args []string) error {
	if cmd.Flag("param") == nil {
		return nil
	}
	meant, _ := cmd.Flags().GetStringArray("param")
	given, call := len(meant), []string{cmd.CommandPath()}
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil && bareSize.MatchString(arg) {
			meant = append(meant, arg)
		} else {
			call = append(call, arg)
		}
	}
	if len(meant) == given {
		return nil
	}
	return usagef("%s: a size is given by -p\n    try: %s -p %s", strings.Join(meant[given:], ", "), strings.Join(call, " "), strings.Join(meant, ","))
}
