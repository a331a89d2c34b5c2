package process

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func readMemory() (Memory, error) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return Memory{}, fmt.Errorf("read how much memory there is: %w", err)
	}
	m, err := parseMeminfo(info)
	if err != nil {
		return Memory{}, err
	}
	// Many kernels don't have this file.
	if stall, err := os.ReadFile("/proc/pressure/memory"); err == nil {
		m.Stalled = parseStalled(stall)
	}
	return m, nil
}

func parseMeminfo(info []byte) (Memory, error) {
	var m Memory
	lines := bufio.NewScanner(bytes.NewReader(info))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		kb, _ := strconv.ParseInt(fields[1], 10, 64)
		switch fields[0] {
		case "MemTotal:":
			m.Total = kb << 10
		case "MemAvailable:":
			m.Available = kb << 10
		}
	}
	if m.Total == 0 || m.Available == 0 {
		return Memory{}, fmt.Errorf("the system does not say how much memory is available")
	}
	return m, nil
}

// parseStalled parses the ten second average of the time in which something waited.
func parseStalled(stall []byte) float64 {
	for _, field := range strings.Fields(string(stall)) {
		if value, ok := strings.CutPrefix(field, "avg10="); ok {
			percent, _ := strconv.ParseFloat(value, 64)
			return percent
		}
	}
	return 0
}
