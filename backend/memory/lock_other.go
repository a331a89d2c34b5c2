//go:build !unix || aix || solaris

package memory

import "os"

// tryLock relies on the lock on the folder: here a locked file couldn't be written by
// programs that don't check locks.
func tryLock(*os.File) (bool, error) { return true, nil }
