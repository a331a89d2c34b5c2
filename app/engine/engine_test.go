package engine

import (
	"context"
	"testing"

	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/session/profile"
)

// If all sessions must use the scripted model, a session that an earlier Parley created with the
// real one does not reach it.
func TestScriptedSessionsReachNobody(t *testing.T) {
	e := New(Config{
		Scripted: true,
		Profiles: unasked{t},
	})
	for _, spec := range []session.Spec{{}, {Profile: "p"}, {Engine: "sdk", Resume: true}} {
		_, err := e.Start(t.Context(), spec)
		if fault.CodeOf(err) != fault.Conflict {
			t.Errorf("starting %+v: %v", spec, err)
		}
		if _, err := e.Probe(t.Context(), spec); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("asking %+v: %v", spec, err)
		}
	}
}

// unasked fails the test if a profile's secrets are read.
type unasked struct{ t *testing.T }

func (u unasked) Environ(context.Context, string) (profile.Environment, error) {
	u.t.Error("the profile's secrets were asked for")
	return profile.Environment{}, nil
}
