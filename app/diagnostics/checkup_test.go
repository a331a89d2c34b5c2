package diagnostics

import (
	"strings"
	"testing"

	"parley/app/doctor"
	"parley/backend/fault"
)

func TestOneCheckupAtATime(t *testing.T) {
	s := &Service{}
	s.checking.Lock()
	if _, err := s.Checkup(t.Context(), CheckupParams{}); fault.CodeOf(err) != fault.Conflict {
		t.Error(err)
	}
}

func TestReport(t *testing.T) {
	got := reportOf("1.2.3", []doctor.CheckResult{
		{ID: "a.note", Meaning: "It is told.", State: doctor.Note, Says: "so"},
		{ID: "b.well", Meaning: "It is well.", State: doctor.OK, Says: "yes"},
		{ID: "c.wrong", Meaning: "It must be.", State: doctor.Wrong, Says: "not there", Todo: "Put it there."},
		{ID: "d.left", Meaning: "It is not for here.", State: doctor.Skipped, Says: "no"},
	})
	want := "Parley 1.2.3, checkup\n\nwrong: c.wrong: not there\n  It must be.\n  To do: Put it there.\n\nnote: a.note: so\n  It is told.\n\nNothing to do (2): b.well, d.left\n"
	if got != want {
		t.Errorf("%s", strings.ReplaceAll(got, "\n", "\\n\n"))
	}
}
