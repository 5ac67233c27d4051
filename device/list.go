package device

import (
	"fmt"
	"io"
	"slices"

	"gpuperf/internal/format"
)

// Print lists devices; the one at the chosen index has an asterisk. Of a device that has several interfaces, those behind the first tell only
// what is their own.
func Print(w io.Writer, all []Info, chosen int) {
	for _, interfaces := range Hardware(all) {
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
			for _, line := range d.lines() {
				known := n > 0 && !slices.Contains([]string{"interface", "platform", "version", "local memory", "library"}, line.what)
				if line.text != "" && !known {
					fmt.Fprintf(w, "       %-14s %s\n", line.what, line.text)
				}
			}
		}
	}
}

// line is something about a device; one without text is not told.
type line struct{ what, text string }

func (i Info) lines() []line {
	lines := []line{
		{"interface", i.Interface.String()},
		{"type", i.Type},
		{"vendor", i.Vendor},
		{"platform", fmt.Sprintf("%d:%d %s, %s", i.PlatformIndex, i.DeviceIndex, i.Platform, i.PlatformVersion)},
		{"driver", i.Driver},
		{"version", i.DeviceVersion},
		{"architecture", i.Architecture},
		{"compute units", fmt.Sprintf("%d at up to %d MHz", i.ComputeUnits, i.ClockMHz)},
		{"global memory", fmt.Sprintf("%s, at most %s in one buffer", format.Bytes(i.GlobalMem), format.Bytes(i.MaxAlloc))},
		{"local memory", format.Bytes(i.LocalMem) + " per work-group"},
		{"work-group", fmt.Sprintf("at most %d work-items", i.MaxWorkGroup)},
		{"sub-group", fmt.Sprintf("%d work-items (%s)", i.SubgroupSize, i.SubgroupSource)},
		{"uuid", i.UUID},
		{"pci", i.PCI},
		{"library", i.Library},
	}
	if c := i.CUDA; c != nil {
		lines = append(lines, []line{
			{"L2 cache", format.Bytes(i.CacheSize)},
			{"memory clock", fmt.Sprintf("%d MHz, %d bits wide", c.MemoryClockMHz, c.MemoryBusBits)},
			{"opt-in", format.Bytes(c.LocalMemOptIn) + " of local memory per work-group"},
			{"each unit", fmt.Sprintf("%s of local memory, %d registers, %d work-items", format.Bytes(c.LocalMemPerUnit), c.RegistersPerUnit, c.WorkItemsPerUnit)},
		}...)
	}
	return lines
}
