//go:build !linux

package process

import (
	"fmt"

	"github.com/shirou/gopsutil/v4/mem"
)

func readMemory() (Memory, error) {
	v, err := mem.VirtualMemory()
	if err != nil {
		return Memory{}, fmt.Errorf("read how much memory there is: %w", err)
	}
	return Memory{Available: int64(v.Available), Total: int64(v.Total)}, nil
}
