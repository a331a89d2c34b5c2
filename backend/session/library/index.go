package library

import (
	"cmp"
	"slices"
	"strings"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/store/model"
)

// index holds the data of the list. The library's mu guards it.
type index struct {
	rows map[string]*row
	// order has the listed rows: pinned ones first, then the most recently active.
	order []*row
	// claims maps the CLI's ids to the session each belongs to.
	claims map[string]string
	// found maps the CLI's ids to the conversations on disk. Several files may
	// have the same id; the most recently changed one comes first.
	found map[string][]history.Entry
	// drafts and queues hold those of all sessions, by id.
	drafts map[string]bool
	queues map[string][]waiting
	// folders maps folders to workspaces.
	folders map[string]string
}

// row is one session. One that was only found on disk has no record.
type row struct {
	id  string
	rec *model.Session
	// turn is the running turn that the session last reported.
	turn string
	// live is true while a session saves state, leaving while it is being ended only
	// to suspend it.
	live, leaving bool
	// outside is true if the conversation was continued elsewhere since it was live.
	outside bool
	// reading is the last meter reading from the conversation's file; nil if it wasn't
	// read. It is never changed in place.
	reading *event.Context
	key     key
	// shelf and workspace are where it is listed.
	shelf     model.ListState
	workspace string
	origin    string
	listed    bool
}

// key is a row's sort key.
type key struct {
	pinned bool
	at     int64
}

// waiting is a waiting prompt.
type waiting struct {
	order    int64
	id, turn string
	uuid     string // the id the CLI knows it by
	phase    session.Phase
	// note is set if this is not a prompt but a note for the next one.
	note bool
}

const (
	originParley = "parley"
	originCLI    = "cli"
)

func newIndex() index {
	return index{
		rows: make(map[string]*row), claims: make(map[string]string), found: make(map[string][]history.Entry),
		drafts: make(map[string]bool), queues: make(map[string][]waiting), folders: make(map[string]string),
	}
}

func compare(a, b *row) int {
	if a.key.pinned != b.key.pinned {
		if a.key.pinned {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.key.at, a.key.at), strings.Compare(a.id, b.id))
}

// addRecord adds a record to the index, without sorting.
func (x *index) addRecord(s model.Session) *row {
	r := x.rows[s.ID]
	if r == nil {
		r = &row{id: s.ID}
		x.rows[s.ID] = r
	}
	r.rec = &s
	x.claim(r)
	return r
}

// claim records which conversations belong to the row.
func (x *index) claim(r *row) (fresh []string) {
	for _, id := range cliIDs(r.rec) {
		if _, taken := x.claims[id]; !taken {
			x.claims[id] = r.id
			fresh = append(fresh, id)
		}
	}
	return fresh
}

// cliIDs returns a record's conversations, the current one first, then backwards.
func cliIDs(s *model.Session) []string {
	var ids []string
	if s.CLISessionID != "" {
		ids = append(ids, s.CLISessionID)
	}
	for _, id := range slices.Backward(s.PreviousCLISessionIDs) {
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// entry returns the conversation's file, nil if there is none.
func (x *index) entry(cli string) *history.Entry {
	if list := x.found[cli]; len(list) > 0 {
		return &list[0]
	}
	return nil
}

// present returns the file of a row's current conversation.
func (x *index) present(r *row) *history.Entry {
	if r.rec != nil && r.rec.CLISessionID != "" {
		return x.entry(r.rec.CLISessionID)
	}
	if r.rec != nil {
		return nil
	}
	return x.entry(r.id)
}

// place determines where a row is listed. It returns false for a row that no
// longer exists: neither stored nor on disk.
func (x *index) place(r *row, now int64) bool {
	e := x.present(r)
	r.listed, r.shelf, r.workspace, r.origin = false, model.ShelfNone, "", originParley
	if r.rec == nil {
		if e == nil || e.Hidden != "" || x.claims[r.id] != "" {
			return false
		}
		r.origin, r.shelf, r.workspace = originCLI, model.ShelfOpen, x.folders[e.CWD]
		r.key = key{at: min(e.ModifiedAt, now)}
		r.listed = true
		return true
	}
	r.shelf, r.workspace = r.rec.Shelf(), r.rec.WorkspaceID
	if shadow(r.rec) {
		r.origin = originCLI
	}
	if r.workspace == "" && !r.rec.Scripted {
		r.workspace = x.folders[r.rec.CWD]
	}
	at := r.rec.LastActivityAt
	if e != nil && shadow(r.rec) {
		at = max(at, e.ModifiedAt)
	}
	switch r.shelf { // archive and trash are sorted by when a session was put there
	case model.ShelfArchive:
		at = r.rec.ArchivedAt
	case model.ShelfTrash:
		at = r.rec.DeletedAt
	}
	// A clock that was once wrong must not keep a session at the top forever.
	r.key = key{r.rec.Pinned && r.shelf == model.ShelfOpen, min(at, now)}
	r.listed = r.shelf != model.ShelfNone
	return true
}

// sortAll places all rows, and the conversations without a record.
func (l *Library) sortAll() {
	now := l.now()
	for cli := range l.found {
		if l.rows[cli] == nil && l.claims[cli] == "" {
			l.rows[cli] = &row{id: cli}
		}
	}
	l.order = l.order[:0]
	for id, r := range l.rows {
		if !l.place(r, now) {
			delete(l.rows, id)
			continue
		}
		if r.listed {
			l.order = append(l.order, r)
		}
	}
	slices.SortFunc(l.order, compare)
}

// update places one row again after a change and queues a list update. The
// caller holds mu.
func (l *Library) update(id string) {
	if l.reorder(id) {
		l.teller.note(id)
	}
}

// reorder places one row again. It returns false if the row wasn't and isn't listed.
// The caller holds mu.
func (l *Library) reorder(id string) bool {
	r := l.rows[id]
	if r == nil {
		if l.claims[id] != "" || len(l.found[id]) == 0 {
			return false
		}
		r = &row{id: id}
	}
	was := r.listed
	if was {
		if i, ok := slices.BinarySearchFunc(l.order, r, compare); ok {
			l.order = slices.Delete(l.order, i, i+1)
		}
	}
	if l.place(r, l.now()) {
		l.rows[id] = r
	} else {
		delete(l.rows, id)
	}
	if r.listed {
		i, _ := slices.BinarySearchFunc(l.order, r, compare)
		l.order = slices.Insert(l.order, i, r)
	}
	return r.listed || was
}

// shadow reports whether a record only arranges a conversation that Parley never
// continued.
func shadow(s *model.Session) bool { return s.Adopted && s.State == "" }

// bare reports whether a shadow is empty.
func bare(s *model.Session) bool {
	return shadow(s) && s.TitleSource == "" && !s.Pinned && s.ArchivedAt == 0 && s.DeletedAt == 0 && s.Trouble == "" && s.Mirror == nil && !s.Hidden
}
