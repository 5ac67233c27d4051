package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
)

// allDevices is the query that stands for all devices of the host.
const allDevices = "all"

// ofShard are the items of a list that a shard has.
func ofShard[T any](all []T, s fleet.Shard) (out []T) {
	for i, one := range all {
		if s.Has(i) {
			out = append(out, one)
		}
	}
	return out
}

// exploreAll runs the same command for every device of the host, each with a part of the points and of the budget.
func exploreAll(cmd *cobra.Command, program string, on *measureFlags, budget int) error {
	if cmd.Flag("shard").Changed {
		return usagef("--device all deals out the parts itself; leave out --shard")
	}
	all, err := measure.Devices(cmd.Context(), measure.Options{})
	if err != nil {
		return err
	}
	query := ""
	if on.face != "" {
		query = on.face + ":"
	}
	indices, err := fleet.Choose(all, query, 0)
	if err != nil {
		return err
	}
	files, err := sampleFiles(on, all, indices)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	n := len(indices)
	each := (budget + n - 1) / n
	local := fleet.Local{
		Program: append([]string{self, "lift", "explore", program}, sameFlags(cmd, "device", "interface", "json", "output", "budget")...),
		Shards:  fleet.Shard{Index: 0, Count: 1}.Split(n), Devices: indices,
		Args: func(i int) []string {
			return []string{"--json", "--output=" + files[i], fmt.Sprintf("--budget=%d", each)}
		},
	}
	outputs := make([]bytes.Buffer, n)
	local.Streams = func(i int) (io.Writer, io.Writer, error) {
		return &outputs[i], fleet.Lines(func(line string) { note(cmd, "device %d: %s", indices[i], line) }), nil
	}
	failed := local.Run(cmd.Context())
	return errors.Join(showExplored(cmd, all, indices, files, outputs), failed)
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

// explored is what is read of the result of a device.
type explored struct {
	Runs int `json:"runs"`
	Best []struct {
		Variant struct {
			ID     string `json:"id"`
			Recipe string `json:"recipe"`
		} `json:"variant"`
		Seconds float64 `json:"seconds"`
	} `json:"best"`
}

// showExplored prints what the devices have found.
func showExplored(cmd *cobra.Command, all []device.Info, indices []int, files []string, outputs []bytes.Buffer) error {
	type deviceJSON struct {
		Device  string          `json:"device"`
		Index   int             `json:"index"`
		Samples string          `json:"samples"`
		Result  json.RawMessage `json:"result,omitempty"`
	}
	var list []deviceJSON
	t := format.NewTable("device", ">runs", ">best time", "variant", "recipe", "samples")
	for i, index := range indices {
		d := deviceJSON{Device: all[index].Fingerprint.String(), Index: index, Samples: files[i]}
		var r explored
		if json.Unmarshal(outputs[i].Bytes(), &r) == nil {
			d.Result = outputs[i].Bytes()
		}
		row := []string{fmt.Sprintf("%d  %s", index, all[index].Name), fmt.Sprint(r.Runs), "-", "-", "-", filepath.Base(files[i])}
		if len(r.Best) > 0 {
			row[2], row[3], row[4] = format.Seconds(r.Best[0].Seconds), r.Best[0].Variant.ID, r.Best[0].Variant.Recipe
		}
		t.Row(row...)
		list = append(list, d)
	}
	return show(cmd, map[string]any{"devices": list}, t.Write)
}
