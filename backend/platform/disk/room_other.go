//go:build !unix

package disk

import "errors"

// RoomOf is not known here: what cannot be written says so.
func RoomOf(string) (Room, error) { return Room{}, errors.ErrUnsupported }
