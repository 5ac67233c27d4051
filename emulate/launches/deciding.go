package launches

import (
	"context"

	"gpuperf/device/facts"
	"gpuperf/sass/compiled"
)

// Deciding names the buffers of a launch file whose contents decide about its launches on a device, and that nobody has said.
func Deciding(ctx context.Context, path string, device *facts.Device) (names []string, err error) {
	s, err := Load(path, nil)
	if err != nil {
		return nil, err
	}
	l, err := s.Listing(ctx, "", &compiled.Compiler{Arch: UsualArch})
	if err != nil {
		return nil, err
	}
	r, err := s.Run(ctx, l, Options{Device: device})
	if err != nil {
		return nil, err
	}
	for _, one := range r.Launches {
		names = append(names, one.Deciding()...)
	}
	return names, nil
}
