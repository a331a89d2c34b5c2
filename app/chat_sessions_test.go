package app

import (
	"fmt"
	"testing"

	"parley/backend/event"
	"parley/backend/library"
	"parley/backend/record"
)

// shelved are records that are there from the beginning.
type shelved struct {
	library.Records
	sessions []record.Session
}

func (s shelved) Sessions() ([]record.Session, error) { return s.sessions, nil }
func (shelved) Waiting(func(record.Prompt)) error     { return nil }
func (shelved) Drafts(func(record.Draft)) error       { return nil }

// A relay that was cut off finds the session that it made, however many there are and
// whatever became of it meanwhile.
func TestChatListsAllSessions(t *testing.T) {
	records := shelved{}
	for i := range 2 * maxPage {
		records.sessions = append(records.sessions, record.Session{ID: fmt.Sprintf("s%04d", i), CWD: "/work", State: "idle", LastActivityAt: int64(i + 10)})
	}
	made := []record.Session{
		{ID: "oldest", CWD: "/work", State: "idle", Mirror: &record.Mirror{ThreadID: "t1"}},
		{ID: "archived", CWD: "/work", State: "idle", ArchivedAt: 1, Mirror: &record.Mirror{ThreadID: "t2"}},
		{ID: "deleted", CWD: "/work", State: "idle", DeletedAt: 1, Mirror: &record.Mirror{ThreadID: "t3"}},
	}
	records.sessions = append(records.sessions, made...)
	l, err := library.New(library.Config{Records: records, Publish: func(event.Event) {}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := (&chatSessions{library: l}).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	threads := map[string]bool{}
	for i := range list {
		if list[i].Mirror != nil {
			threads[list[i].Mirror.ThreadID] = true
		}
	}
	if len(list) != 2*maxPage+2 || !threads["t1"] || !threads["t2"] || threads["t3"] {
		t.Errorf("%d sessions, those of %v", len(list), threads)
	}
}
