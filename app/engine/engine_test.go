package engine

import (
	"context"
	"testing"

	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/session/profile"
)

// Where every session is to talk to the scripted model, one that an earlier Parley made
// with the real one does not reach it.
func TestRehearsalReachesNobody(t *testing.T) {
	e := New(Config{
		Scripted: true,
		Profile: func(context.Context, string) (profile.Environment, error) {
			t.Error("the profile's secrets were asked for")
			return profile.Environment{}, nil
		},
	})
	for _, spec := range []session.Spec{{}, {Profile: "p"}, {Engine: "sdk", Resume: true}} {
		_, err := e.Start(t.Context(), spec)
		if fault.CodeOf(err) != fault.Conflict {
			t.Errorf("starting %+v: %v", spec, err)
		}
		if _, err := e.probe(t.Context(), spec); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("asking %+v: %v", spec, err)
		}
	}
}
