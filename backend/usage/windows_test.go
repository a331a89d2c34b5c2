package usage_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/usage"
)

// A window that one session learns is known to all at once, except in other environments.
func TestWindowsAreShared(t *testing.T) {
	windows := usage.NewWindows([]usage.Window{{Environment: "profile:", Model: "old", Tokens: 100}, {Environment: "profile:", Model: "broken", Tokens: -1}}, nil)
	meter := func(environment, model string) *usage.Meter {
		m := &usage.Meter{}
		m.Share(windows, environment)
		m.SetModel(model)
		m.Call(model, event.Usage{InputTokens: 50})
		return m
	}
	window := func(m *usage.Meter) int64 {
		c, _ := m.Reading()
		return c.Window
	}
	here, elsewhere := usage.Environment("", false), usage.Environment("p", false)
	first, second, other := meter(here, "m"), meter(here, "m"), meter(elsewhere, "m")
	first.ReportWindows(map[string]int64{"m": 1_000})
	if got := []int64{window(first), window(second), window(meter(here, "m")), window(other), window(meter(here, "old")), window(meter(here, "broken"))}; !cmp.Equal(got, []int64{1000, 1000, 1000, 0, 100, 0}) {
		t.Errorf("the windows are %v", got)
	}
	other.ReportWindows(map[string]int64{"m": 200, "old": 0})
	if window(first) != 1_000 || window(other) != 200 {
		t.Errorf("elsewhere %d, here %d", window(other), window(first))
	}
	if usage.Environment("", true) == here || usage.Environment("rehearsal", false) == usage.Environment("", true) {
		t.Error("the scripted model does not have an environment of its own")
	}
}

// Only new windows are kept, and a bounded number.
func TestWindowsAreKept(t *testing.T) {
	kept := map[string]int64{}
	writes := 0
	windows := usage.NewWindows(nil, func(learned usage.Window, forgotten []usage.Window) {
		writes++
		for _, old := range forgotten {
			delete(kept, old.Model)
		}
		kept[learned.Model] = learned.Tokens
	})
	for range 3 {
		windows.Learn("e", "m", 5)
	}
	windows.Learn("e", "m", 6)
	windows.Learn("e", "", 6)
	windows.Learn("e", fmt.Sprintf("%300d", 1), 6)
	windows.Learn("e", "n", -6)
	if diff := cmp.Diff(map[string]int64{"m": 6}, kept); diff != "" || writes != 2 {
		t.Errorf("%d writes (-want +got):\n%s", writes, diff)
	}
	for i := range 1000 {
		windows.Learn("e", fmt.Sprint("m", i), 7)
	}
	if len(kept) != 200 || kept["m999"] != 7 || windows.Of("e", "m999") != 7 || windows.Of("e", "m") != 0 {
		t.Errorf("%d are kept", len(kept))
	}
	for model, tokens := range kept {
		if windows.Of("e", model) != tokens {
			t.Errorf("%s is kept, and not known", model)
		}
	}
}
