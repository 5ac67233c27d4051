package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/internal/fleet"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/search"
)

// allDevices is the query that stands for all devices of the host.
const allDevices = "all"

// onAll runs the same command for every device of the host, each with a part of the configurations and of the budget.
func (o *tuneFlags) onAll(cmd *cobra.Command, path string) {
	if cmd.Flag("shard").Changed {
		panic(throw.Of(usagef("--device all deals out the parts itself; leave out --shard")))
	}
	all := throw.Get(measure.Devices(cmd.Context(), measure.Options{}))
	query := ""
	if o.on.face != "" {
		query = o.on.face + ":"
	}
	indices := throw.Get(fleet.Choose(all, query, 0))
	files := throw.Get(sampleFiles(&o.on, all, indices))
	self := throw.Get(os.Executable())
	n := len(indices)
	each := o.Budget/n + min(o.Budget%n, 1)
	local := fleet.Local{
		Program: append(append([]string{self}, strings.Fields(cmd.CommandPath())[1:]...), append(sameFlags(cmd, "device", "interface", "json", "output", o.samples, "budget"), path)...),
		Shards:  fleet.Shard{Index: 0, Count: 1}.Split(n), Devices: indices,
		Args: func(i int) []string {
			args := []string{"--json", "--" + o.samples + "=" + files[i]}
			if o.Budget < math.MaxInt { // otherwise the time is the limit
				args = append(args, fmt.Sprintf("--budget=%d", each))
			}
			if o.dir != "" {
				args = append(args, "--output="+filepath.Join(o.dir, fmt.Sprint(indices[i])))
			}
			return args
		},
	}
	outputs := make([]bytes.Buffer, n)
	local.Streams = func(i int) (io.Writer, io.Writer, error) {
		return &outputs[i], fleet.Lines(func(line string) { note(cmd, "device %d: %s", indices[i], line) }), nil
	}
	failed := local.Run(cmd.Context())
	throw.If(errors.Join(showFound(cmd, all, indices, files, outputs), failed))
}

// sampleFiles are the journals of the devices, a file each.
func sampleFiles(on *measureFlags, all []device.Info, indices []int) (files []string, err error) {
	data, err := dataDir()
	if err != nil {
		return nil, err
	}
	for _, i := range indices {
		path := campaign.DeviceFile(data, "samples", all[i].Fingerprint, ".jsonl")
		if on.options.Samples != "" {
			path = on.options.Samples
		}
		if on.options.Samples != "" || all[i].UUID == "" { // devices of one name have one file otherwise
			path = fmt.Sprintf("%s-%d.jsonl", strings.TrimSuffix(path, ".jsonl"), i)
		}
		files = append(files, path)
	}
	return files, nil
}

// sameFlags are the flags that the user has given, but for some.
func sameFlags(cmd *cobra.Command, but ...string) (args []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if !slices.Contains(but, f.Name) {
				args = append(args, "--"+f.Name+"="+v)
			}
		}
	})
	return args
}

// found is what is read of the result of a device.
type found struct {
	Runs []json.RawMessage `json:"runs"`
	Best []struct {
		Configuration search.Config `json:"configuration"`
		Seconds       float64       `json:"seconds"`
	} `json:"best"`
}

// showFound prints what the devices have found.
func showFound(cmd *cobra.Command, all []device.Info, indices []int, files []string, outputs []bytes.Buffer) error {
	type deviceJSON struct {
		Device  string          `json:"device"`
		Index   int             `json:"index"`
		Samples string          `json:"samples"`
		Result  json.RawMessage `json:"result,omitempty"`
	}
	var list []deviceJSON
	t := format.NewTable("device", ">runs", ">best time", "samples", "configuration")
	for i, index := range indices {
		d := deviceJSON{Device: all[index].Fingerprint.String(), Index: index, Samples: files[i]}
		var r found
		if json.Unmarshal(outputs[i].Bytes(), &r) == nil {
			d.Result = outputs[i].Bytes()
		}
		row := []string{fmt.Sprintf("%d  %s", index, all[index].Name), fmt.Sprint(len(r.Runs)), "-", filepath.Base(files[i]), "-"}
		if len(r.Best) > 0 {
			row[2], row[4] = format.Seconds(r.Best[0].Seconds), spaced(r.Best[0].Configuration)
		}
		t.Row(row...)
		list = append(list, d)
	}
	return show(cmd, map[string]any{"devices": list}, t.Write)
}

// spaced is a configuration for people.
func spaced(c search.Config) string { return strings.ReplaceAll(c.String(), ",", ", ") }
