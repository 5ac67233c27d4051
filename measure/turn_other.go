//go:build !unix

package measure

import "os"

// tryLock does nothing where there is no advisory locking.
func tryLock(*os.File) bool { return true }

func waitLock(*os.File) error { return nil }
