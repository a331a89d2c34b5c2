//go:build unix

package disk

import "golang.org/x/sys/unix"

// RoomOf returns the space on a folder's disk.
func RoomOf(dir string) (Room, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Room{}, err
	}
	size := uint64(s.Bsize)
	return Room{Free: uint64(s.Bavail) * size, Total: s.Blocks * size}, nil //nolint:unconvert // it is signed on some systems
}
