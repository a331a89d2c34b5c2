package session

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

// A CLI that is being stopped may still take up its prompt. The turn then ends
// exactly once.
func TestTakenUpAtTheEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		says   func(p *fakeProcess, uuid string)
		reason string
		// left: Parley exits. kept: only the transcript knows the outcome.
		left, kept bool
	}{
		"closed, and answered":     {func(p *fakeProcess, uuid string) { p.takeUp(uuid); p.conclude(uuid) }, "completed", false, false},
		"closed, and begun":        {func(p *fakeProcess, uuid string) { p.takeUp(uuid) }, "closed", false, false},
		"Parley ends, answered":    {func(p *fakeProcess, uuid string) { p.takeUp(uuid); p.conclude(uuid) }, "completed", true, false},
		"Parley ends, and begun":   {func(p *fakeProcess, uuid string) { p.takeUp(uuid) }, "closed", true, true},
		"Parley ends, not touched": {func(*fakeProcess, string) {}, "", true, true},
		"Parley ends, given back":  {func(p *fakeProcess, uuid string) { p.say(lifecycle(uuid, "cancelled")) }, "", true, true},
		"closed, and given back":   {func(p *fakeProcess, uuid string) { p.say(lifecycle(uuid, "cancelled")) }, "", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				a := r.prompt("a")
				p.takeUp(a)
				b := r.prompt("b")
				synctest.Wait()
				p.onStop = func() {
					tt.says(p, b)
					synctest.Wait()
				}
				if tt.left {
					if err := r.reg.Close(context.Background()); err != nil {
						t.Fatal(err)
					}
				} else {
					r.close()
				}
				r.wantDone("a", "closed")
				if tt.reason == "" {
					r.wantHeld("b")
				} else {
					r.wantDone("b", tt.reason)
				}
				if kept := slices.Contains(r.kept.waiting(r.id), "b"); kept != tt.kept {
					t.Errorf("kept: %v", kept)
				}
				if n := len(slices.DeleteFunc(r.names(), func(n string) bool { return n != "user:b" })); tt.reason != "" && n != 1 {
					t.Errorf("it stands in the conversation %d times", n)
				}
			})
		})
	}
}
