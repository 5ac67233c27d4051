package measure

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"gpuperf/device"
	"gpuperf/internal/filelock"
)

// turnFile is the file whose lock is the turn of a device: the same for all processes of a machine that time something on it.
func turnFile(dev device.Info) string {
	name := dev.UUID
	if name == "" {
		name = fmt.Sprint(dev.Platform, dev.Name, dev.PlatformIndex, dev.DeviceIndex)
	}
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(os.TempDir(), "perf-device-"+hex.EncodeToString(sum[:8])+".lock")
}

// takeTurn waits until no other process has the turn, and takes it. The system ends a turn when its process ends, however that comes about. Waiting is called where the turn has to be waited
// for, and what it returns when the turn has come. Where there can be no such file, everyone has a turn at any time.
func takeTurn(ctx context.Context, path string, waiting func() (come func())) (done func(), err error) {
	f, err := os.Open(path) // which may be another user's
	if err != nil {
		f, err = os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o644)
	}
	if err != nil {
		return func() {}, nil
	}
	done = func() { f.Close() }
	if err := filelock.Try(f); !filelock.Held(err) { // with another error there are no locks
		return done, nil
	}
	come := waiting()
	locked := make(chan error, 1)
	go func() { locked <- filelock.Wait(f) }()
	select {
	case <-locked: // with an error there are no locks
		come()
		return done, nil
	case <-ctx.Done():
		go func() { // the system cannot be asked to wait no longer
			<-locked
			f.Close()
		}()
		return nil, device.Interrupted(ctx)
	}
}
