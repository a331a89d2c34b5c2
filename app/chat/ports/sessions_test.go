package ports

import (
	"fmt"
	"testing"

	"parley/app/feature"
	"parley/backend/event"
	"parley/backend/session/library"
	"parley/backend/store/model"
)

// shelved are records that exist from the beginning.
type shelved struct {
	library.Records
	sessions []model.Session
}

func (s shelved) Sessions() ([]model.Session, error) { return s.sessions, nil }
func (shelved) Waiting(func(model.Prompt)) error     { return nil }
func (shelved) Drafts(func(model.Draft)) error       { return nil }

// A relay that was interrupted finds the session it created, however many there are and whatever
// happened to it since.
func TestChatListsAllSessions(t *testing.T) {
	records := shelved{}
	for i := range 2 * feature.MaxPage {
		records.sessions = append(records.sessions, model.Session{ID: fmt.Sprintf("s%04d", i), CWD: "/work", State: "idle", LastActivityAt: int64(i + 10)})
	}
	made := []model.Session{
		{ID: "oldest", CWD: "/work", State: "idle", Mirror: &model.Mirror{ThreadID: "t1"}},
		{ID: "archived", CWD: "/work", State: "idle", ArchivedAt: 1, Mirror: &model.Mirror{ThreadID: "t2"}},
		{ID: "deleted", CWD: "/work", State: "idle", DeletedAt: 1, Mirror: &model.Mirror{ThreadID: "t3"}},
	}
	records.sessions = append(records.sessions, made...)
	l, err := library.New(library.Config{Records: records, Publish: func(event.Event) {}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := (&relaySessions{library: l}).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	threads := map[string]bool{}
	for i := range list {
		if list[i].Mirror != nil {
			threads[list[i].Mirror.ThreadID] = true
		}
	}
	if len(list) != 2*feature.MaxPage+2 || !threads["t1"] || !threads["t2"] || threads["t3"] {
		t.Errorf("%d sessions, those of %v", len(list), threads)
	}
}
