package desktop

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAttention(t *testing.T) {
	var a Attention
	a.Urgent(true) // nobody is there
	a.Raise()
	var did []string
	a.attach(func(on bool) {
		if on {
			did = append(did, "mark")
			return
		}
		did = append(did, "unmark")
	}, func() { did = append(did, "raise") })
	a.Urgent(false)
	a.Urgent(true)
	a.Urgent(true)
	a.Raise()
	a.Urgent(false)
	a.attach(nil, nil)
	a.Urgent(true)
	a.Raise()
	if diff := cmp.Diff([]string{"mark", "raise", "unmark"}, did); diff != "" {
		t.Error(diff)
	}
}
