package device

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"

	"gpuperf/samples"
)

// Builder is a Device that can build programs ahead of the jobs that need them, and keep them in a folder, where other
// processes find them.
type Builder interface {
	Device
	// KeepPrograms has programs looked up and kept in the folder from now on; "" is nowhere.
	KeepPrograms(dir string)
	// Build builds the program of a job and keeps it, unless it is kept already.
	Build(job Job) error
}

// Shared is a Device that others may use as well, so that each of its jobs waits for its turn.
type Shared interface {
	Device
	// TakeTurns has jobs call a function before they use the device, and the one that this returns when they have ended. Programs are built outside of turns.
	TakeTurns(take func(context.Context) (done func(), err error))
}

// ProgramFile is the name of the file that keeps the program of a job for a device in the folder. Another source, other options,
// another model of device or another driver give another name.
func ProgramFile(dir string, dev samples.Fingerprint, job Job) string {
	var key strings.Builder
	for _, part := range []string{
		"2", dev.Platform, dev.PlatformVersion, dev.Name, dev.Driver, dev.DeviceVersion, dev.Architecture, job.CompilerOptions(), job.Source,
	} {
		key.WriteString(strconv.Quote(part))
	}
	sum := sha256.Sum256([]byte(key.String()))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".program")
}
