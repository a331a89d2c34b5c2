//go:build !unix

package doctor

import "errors"

func descriptors() (uint64, error) { return 0, errors.ErrUnsupported }
