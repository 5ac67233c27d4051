package stock

import (
	"fmt"

	"gpuperf/calibrate"
	"gpuperf/device"
	"gpuperf/models/library"
)

// Doubt is why a profile may no longer hold, and what to do.
type Doubt struct {
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
}

// Stale says why a profile may no longer hold, given the devices of this machine: another driver, another clock, another version of a model
// of the program, or models that this program cannot read. A profile of a device that is not there is not compared with one.
func Stale(p *calibrate.Profile, devices []device.Info) (doubts []Doubt) {
	for _, d := range devices {
		if !p.Device.Same(d.Fingerprint) {
			continue
		}
		for _, was := range []struct{ what, then, now string }{
			{"driver", p.Device.Driver, d.Driver},
			{"platform", p.Device.PlatformVersion, d.PlatformVersion},
			{"highest clock", fmt.Sprintf("%d MHz", p.Device.ClockMHz), fmt.Sprintf("%d MHz", d.ClockMHz)},
		} {
			if was.then != was.now {
				doubts = append(doubts, Doubt{
					fmt.Sprintf("calibrated with %s %s, now it is %s", was.what, was.then, was.now),
					"perf calibrate anew; what was measured is measured again with --remeasure all",
				})
			}
		}
	}
	for _, c := range p.Models {
		now, err := library.Load(c.Fit.Model)
		if err == nil && now.String() != c.Definition {
			doubts = append(doubts, Doubt{
				fmt.Sprintf("model %s is not as the program has it now", c.Fit.Model),
				"perf calibrate " + c.Fit.Model + ", if it was not changed on purpose",
			})
		}
	}
	for _, u := range p.Unread {
		doubts = append(doubts, Doubt{fmt.Sprintf("model %s: %s", u.Fit.Model, u.Reason()), "perf calibrate " + u.Fit.Model})
	}
	return doubts
}
