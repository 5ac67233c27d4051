package measure

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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
// for, with words for the one who has it, and what it returns when the turn has come. Where there can be no such file, everyone has a turn at any time.
func takeTurn(ctx context.Context, path string, waiting func(holder string) (come func())) (done func(), err error) {
	f, err := openTurn(path)
	if err != nil {
		return func() {}, nil
	}
	done = func() { f.Close() }
	if err := filelock.Try(f); !filelock.Held(err) { // with another error there are no locks
		sign(f)
		return done, nil
	}
	come := waiting(holder(f, time.Now()))
	if filelock.Wait(ctx, f) != nil {
		return nil, device.Interrupted(ctx)
	}
	sign(f)
	come()
	return done, nil
}

// openTurn opens the file of a turn, which may be another user's, who may let nobody else write.
func openTurn(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err == nil {
			f.Chmod(0o666) // whatever the umask is; where that fails, others cannot say who they are
		}
	}
	if err != nil {
		return os.Open(path)
	}
	return f, nil
}

// holding is what stands in the file of a turn: who has it, and since when.
type holding struct {
	Process int       `json:"process"`
	Since   time.Time `json:"since"`
}

// sign writes into the file of a turn who has it: the process that has started this worker. Where that cannot be written, others are told less.
func sign(f *os.File) {
	h := holding{Process: os.Getppid(), Since: time.Now()}
	text, err := json.Marshal(h)
	if err == nil && f.Truncate(0) == nil {
		f.WriteAt(append(text, '\n'), 0)
	}
}

// holder words who has the turn, and for how long.
func holder(f *os.File, now time.Time) string {
	const most = 4 << 10 // bytes of the file
	text := make([]byte, most)
	n, _ := f.ReadAt(text, 0)
	var h holding
	if json.Unmarshal(text[:n], &h) != nil || h.Process == 0 {
		return "another process has it"
	}
	return fmt.Sprintf("%s has had it for %v", filelock.Process(h.Process), max(now.Sub(h.Since), 0).Round(100*time.Millisecond))
}
