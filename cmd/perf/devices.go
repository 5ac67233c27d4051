package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate/profiles"
	"gpuperf/device"
	"gpuperf/device/cuda"
	"gpuperf/device/opencl"
	"gpuperf/internal/format"
	"gpuperf/measure"
)

func devicesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "devices",
		Short: "List what can be measured here",
		Long: `devices lists every OpenCL platform and device that can be found. The one marked with an asterisk is used unless
--device of the other commands names another: the first GPU, or a CPU where there is no GPU.`,
		Example: `  perf devices`,
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			devices, err := measure.Devices(cmd.Context(), measure.Options{})
			if err != nil {
				return fmt.Errorf("%w\n    to predict, no device is needed: perf predict KERNEL.star -p n=4096 --profile %s", err, strings.Join(profiles.Names(), " | "))
			}
			chosen, err := device.Select(devices, "")
			if err != nil {
				return err
			}
			return show(cmd, map[string]any{"devices": devices, "default": chosen}, func(w io.Writer) error {
				for _, same := range device.Hardware(devices) {
					printDevice(w, devices, same, chosen)
				}
				return nil
			})
		},
	}
}

// printDevice prints a device, and below it what each of its interfaces tells.
func printDevice(w io.Writer, all []device.Info, interfaces []int, chosen int) {
	for n, index := range interfaces {
		d := all[index]
		mark := " "
		if index == chosen {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %d  %s", mark, index, d.Name)
		if len(interfaces) > 1 {
			fmt.Fprintf(w, ", by %s", d.Interface)
		}
		fmt.Fprintln(w)
		lines := []struct{ what, text string }{
			{"interface", d.Interface.String()},
			{"type", d.Type},
			{"vendor", d.Vendor},
			{"platform", fmt.Sprintf("%d:%d %s, %s", d.PlatformIndex, d.DeviceIndex, d.Platform, d.PlatformVersion)},
			{"driver", d.Driver},
			{"version", d.DeviceVersion},
			{"architecture", d.Architecture},
			{"compute units", fmt.Sprintf("%d at up to %d MHz", d.ComputeUnits, d.ClockMHz)},
			{"global memory", fmt.Sprintf("%s, at most %s in one buffer", format.Bytes(d.GlobalMem), format.Bytes(d.MaxAlloc))},
			{"local memory", format.Bytes(d.LocalMem) + " per work-group"},
			{"work-group", fmt.Sprintf("at most %d work-items", d.MaxWorkGroup)},
			{"sub-group", fmt.Sprintf("%d work-items (%s)", d.SubgroupSize, d.SubgroupSource)},
			{"uuid", d.UUID},
			{"library", d.Library},
		}
		if c := d.CUDA; c != nil {
			lines = append(lines, []struct{ what, text string }{
				{"L2 cache", format.Bytes(d.CacheSize)},
				{"memory clock", fmt.Sprintf("%d MHz, %d bits wide", c.MemoryClockMHz, c.MemoryBusBits)},
				{"opt-in", format.Bytes(c.LocalMemOptIn) + " of local memory per work-group"},
				{"each unit", fmt.Sprintf("%s of local memory, %d registers, %d work-items", format.Bytes(c.LocalMemPerUnit), c.RegistersPerUnit, c.WorkItemsPerUnit)},
			}...)
		}
		for _, line := range lines {
			known := n > 0 && !slices.Contains([]string{"interface", "platform", "version", "local memory", "library"}, line.what)
			if line.text != "" && !known {
				fmt.Fprintf(w, "       %-14s %s\n", line.what, line.text)
			}
		}
	}
}

// workerCommand is what measure starts: the process that touches the device.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    measure.WorkerArg,
		Hidden: true,
		Args:   exactArgs(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if measure.WorkerMain(device.Backends{&cuda.Backend{}, &opencl.Backend{}}) != 0 {
				return errReported
			}
			return nil
		},
	}
}
