package desktop

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAttention(t *testing.T) {
	var a Attention
	a.Urgent(true) // there is no window
	a.Raise()
	var did []string
	a.attach(func(on bool) {
		if on {
			did = append(did, "mark")
			return
		}
		did = append(did, "unmark")
	}, func() { did = append(did, "raise") }, func() { did = append(did, "quit") })
	a.Urgent(false)
	a.Urgent(true)
	a.Urgent(true)
	a.Raise()
	a.Urgent(false)
	if !a.Quit() {
		t.Error("there is no window to close")
	}
	a.attach(nil, nil, nil)
	a.Urgent(true)
	a.Raise()
	if a.Quit() {
		t.Error("there is a window to close")
	}
	if diff := cmp.Diff([]string{"mark", "raise", "unmark", "quit"}, did); diff != "" {
		t.Error(diff)
	}
}
