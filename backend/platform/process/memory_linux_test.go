package process

import "testing"

func TestParseMemory(t *testing.T) {
	m, err := parseMeminfo([]byte("MemTotal:       24684092 kB\nMemFree:  1 kB\nMemAvailable:   24063520 kB\nHugePages_Total:       0\n"))
	if err != nil || m != (Memory{Total: 24684092 << 10, Available: 24063520 << 10}) {
		t.Errorf("%+v %v", m, err)
	}
	for _, bad := range []string{"", "MemTotal: 1 kB\n", "MemTotal: x kB\nMemAvailable: y kB"} {
		if m, err := parseMeminfo([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, m)
		}
	}
	for text, want := range map[string]float64{
		"some avg10=12.34 avg60=1.00 avg300=0.00 total=5\nfull avg10=3.00 avg60=0.00 avg300=0.00 total=0\n": 12.34,
		"":             0,
		"some avg10=x": 0,
	} {
		if got := parseStalled([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
