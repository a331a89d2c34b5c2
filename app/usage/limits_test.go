package usage

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/feature"
	"parley/backend/claude/wire"
	"parley/backend/event"
)

// The session's CLI is asked first, then others; one that does not know, or reports something else,
// is skipped.
func TestAllowances(t *testing.T) {
	const knows = `{"rate_limits":{"five_hour":{"utilization":42.5,"resets_at":"2026-11-22T10:00:00Z"},"seven_day":{"utilization":7,"resets_at":null},
		"seven_day_opus":null,"seven_day_sonnet":{"utilization":null,"resets_at":null},"extra_usage":{"is_enabled":true,"utilization":1.5}},"rate_limits_available":true}`
	want := []Allowance{
		{Name: "Session", Percent: 42.5, ResetsAt: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC).UnixMilli()},
		{Name: "Week", Percent: 7}, {Name: "Extra", Percent: 1.5},
	}
	tests := map[string]struct {
		says  map[string]string
		of    string
		want  []Allowance
		asked []string
	}{
		"its own":       {map[string]string{"a": knows, "b": knows}, "b", want, []string{"b"}},
		"another one":   {map[string]string{"a": "", "b": knows}, "gone", want, []string{"a", "b"}},
		"no account":    {map[string]string{"a": `{"rate_limits":null,"rate_limits_available":false}`}, "a", nil, []string{"a"}},
		"nothing known": {map[string]string{"a": `[]`}, "a", nil, []string{"a"}},
		"it rests":      {map[string]string{"rests": knows}, "rests", nil, nil},
		"too many":      {map[string]string{"a": "", "b": "", "c": "", "d": knows}, "", nil, []string{"a", "b", "c"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var asked []string
			a := newService(Config{
				Get: func(_ context.Context, id string) (event.Session, error) {
					s := event.Session{ID: id, PID: 1}
					if id == "rests" {
						s.PID = 0
					}
					return s, nil
				},
				Control: func(_ context.Context, id string, body wire.ControlBody) ([]byte, error) {
					asked = append(asked, id+" "+body.ControlSubtype())
					if tt.says[id] == "" {
						return nil, errors.New("it does not say")
					}
					return []byte(tt.says[id]), nil
				},
			})
			for id := range tt.says {
				a.note(&event.Session{ID: id, State: "idle"})
			}
			if diff := cmp.Diff(tt.want, a.Allowances(t.Context(), tt.of)); diff != "" {
				t.Error(diff)
			}
			for i := range tt.asked {
				tt.asked[i] += " get_usage"
			}
			if diff := cmp.Diff(tt.asked, asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A CLI's last report is kept for its profile, with its time, while none is running. It is only
// queried again after a while, a window that has ended is left out, and no other profile's is
// shown.
func TestPlanLimits(t *testing.T) {
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	runs, asked := true, 0
	a := newService(Config{
		Get: func(_ context.Context, id string) (event.Session, error) {
			s := event.Session{ID: id, ListState: event.ListState{Profile: map[string]string{"other": "work"}[id]}}
			if runs && id == "a" {
				s.PID = 1
			}
			return s, nil
		},
		Control: func(context.Context, string, wire.ControlBody) ([]byte, error) {
			asked++
			return []byte(`{"rate_limits":{"five_hour":{"utilization":42,"resets_at":"2026-11-22T10:00:00Z"},"seven_day":{"utilization":7,"resets_at":"2026-11-25T10:00:00Z"}}}`), nil
		},
	})
	a.now = func() time.Time { return now }
	a.note(&event.Session{ID: "a", State: "idle"})
	told := now.UnixMilli()
	want := func(id string, names []string, at int64, calls int) {
		t.Helper()
		got, err := a.PlanLimits(t.Context(), feature.SessionRef{SessionID: id})
		var found []string
		for _, l := range got.Limits {
			found = append(found, l.Name)
		}
		if diff := cmp.Diff(names, found); err != nil || diff != "" || got.Limits == nil || got.At != at || asked != calls {
			t.Errorf("%v, %+v, asked %d times\n%s", err, got, asked, diff)
		}
	}
	want("a", []string{"Session", "Week"}, told, 1)
	want("b", []string{"Session", "Week"}, told, 1)
	want("other", nil, 0, 1)
	now, runs = now.Add(time.Minute), false
	want("a", []string{"Session", "Week"}, told, 1)
	now = now.Add(3 * time.Hour)
	want("a", []string{"Week"}, told, 1)
	runs = true
	want("a", []string{"Week"}, now.UnixMilli(), 2)
}
