//go:build !unix

package disk

import "errors"

// RoomOf is unsupported here: failing writes report the problem.
func RoomOf(string) (Room, error) { return Room{}, errors.ErrUnsupported }
