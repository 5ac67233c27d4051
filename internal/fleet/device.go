package fleet

import (
	"fmt"
	"path/filepath"

	"gpuperf/internal/campaign"
	"gpuperf/samples"
)

// Device is a device of a fleet. The zero value stands for none, of work that needs none.
type Device struct {
	Host  string `json:"host,omitempty"`
	Index int    `json:"index"` // as perf devices lists it on the host
	samples.Fingerprint
}

// Key tells devices apart that are never pooled: by UUID, or else by host and place there, and by the driver, whose compiler makes other code.
// It is usable as the name of a folder.
func (d Device) Key() string {
	if d.Name == "" {
		return "no-device"
	}
	key := filepath.Base(campaign.DeviceFile("", "", d.Fingerprint, ""))
	if len(d.UUID) < 8 {
		place := d.PCI
		if place == "" {
			place = fmt.Sprint(d.Index)
		}
		key += "-" + slug(d.Host+" "+place)
	}
	return key + "-driver-" + slug(d.Driver)
}

// Label names the device in tables.
func (d Device) Label() string {
	switch {
	case d.Name == "":
		return "no device"
	case len(d.UUID) >= 8:
		return fmt.Sprintf("%s %s", d.Name, d.UUID[:8])
	}
	return fmt.Sprintf("%s (%d on %s)", d.Name, d.Index, d.Host)
}
