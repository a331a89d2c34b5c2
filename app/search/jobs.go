package search

import (
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/search"
)

// feedLive is how long after its last change a conversation counts as active, and is read before
// all others.
const feedLive = 10 * time.Second

// job is a conversation to be read.
type job struct {
	entry history.Entry
	todo  int64 // bytes, approximately
	again int   // how often it could not be read to its end
	anew  bool  // it must be read from the start
}

func (j *job) live() bool { return time.Now().UnixMilli()-j.entry.ModifiedAt < feedLive.Milliseconds() }

func (f *feed) changed(c history.Change) {
	e := c.Entry
	f.mu.Lock()
	old, known := f.known[e.ID]
	f.mu.Unlock()
	if c.Kind == history.Removed || e.Hidden != "" || known && old.Path != e.Path {
		// There may be another file with this name.
		e, known = f.cfg.Catalog.Find(e.ID)
		if !known || e.Hidden != "" {
			f.remove(c.Entry.ID)
			return
		}
	}
	f.mu.Lock()
	f.add(e)
	f.mu.Unlock()
	f.poke()
}

func (f *feed) renamed(id string) {
	if e, ok := f.cfg.Catalog.Find(id); ok && e.Hidden == "" {
		f.mu.Lock()
		f.add(e)
		f.mu.Unlock()
		f.poke()
	}
}

func (f *feed) remove(id string) {
	f.mu.Lock()
	f.bytes -= f.known[id].Bytes
	delete(f.known, id)
	if j := f.waiting[id]; j != nil {
		f.drop(j)
	}
	f.gone[id] = true
	f.mu.Unlock()
	f.poke()
}

// note records the state of a conversation. This and the following are called with mu held.
func (f *feed) note(e history.Entry) {
	f.bytes += e.Bytes - f.known[e.ID].Bytes
	f.known[e.ID] = e
	delete(f.gone, e.ID)
}

// add adds a conversation to the list of jobs.
func (f *feed) add(e history.Entry) {
	f.note(e)
	if j := f.waiting[e.ID]; j != nil {
		j.entry = e
		return
	}
	j := &job{entry: e, todo: e.Bytes}
	if f.index != nil {
		if s, ok := f.index.State(e.ID); ok {
			j.todo = max(0, e.Bytes-s.Through)
		}
	}
	f.enlist(j)
}

func (f *feed) enlist(j *job) {
	f.jobs = append(f.jobs, j)
	f.waiting[j.entry.ID] = j
}

func (f *feed) drop(j *job) {
	for i, other := range f.jobs {
		if other == j {
			last := len(f.jobs) - 1
			f.jobs[i], f.jobs[last] = f.jobs[last], nil
			f.jobs = f.jobs[:last]
			break
		}
	}
	delete(f.waiting, j.entry.ID)
}

// compare adds a job for every conversation whose index entry is not current.
func (f *feed) compare(index *search.Index) {
	f.mu.Lock()
	f.all = false
	clear(f.known)
	clear(f.waiting)
	f.jobs, f.bytes = nil, 0
	f.mu.Unlock()
	entries, states := f.cfg.Catalog.Entries(), index.States()
	byID := make(map[string]search.State, len(states))
	for _, s := range states {
		byID[s.ID] = s
	}
	titles := make(map[string]string, len(entries))
	for i := range entries {
		titles[entries[i].ID] = f.title(&entries[i])
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range entries {
		e := &entries[i]
		if _, known := f.known[e.ID]; known {
			continue // a newer file with this name, or it has just changed
		}
		s, ok := byID[e.ID]
		if ok && current(s, e, titles[e.ID]) {
			f.note(*e)
			continue
		}
		f.add(*e)
	}
	for _, s := range states {
		if _, known := f.known[s.ID]; !known {
			f.gone[s.ID] = true
		}
	}
}

func (f *feed) title(e *history.Entry) string {
	if f.cfg.Title != nil {
		if t := f.cfg.Title(e.ID); t != "" {
			return t
		}
	}
	return e.Title
}

func (f *feed) takeGone() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := make([]string, 0, len(f.gone))
	for id := range f.gone {
		ids = append(ids, id)
	}
	clear(f.gone)
	return ids
}

func (f *feed) hasJob() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	newest, _, _ := f.survey()
	return newest != nil && !f.all
}

// survey examines all idle jobs: the newest, the largest, and the amount left to read. It is called
// with mu held.
func (f *feed) survey() (newest, largest *job, left int64) {
	for _, j := range f.active {
		left += j.todo
	}
	for _, j := range f.jobs {
		left += j.todo
		if f.active[j.entry.ID] != nil {
			continue
		}
		if newest == nil || j.entry.ModifiedAt > newest.entry.ModifiedAt {
			newest = j
		}
		if largest == nil || j.todo > largest.todo {
			largest = j
		}
	}
	return newest, largest, left
}

// take returns a worker's next job: the newest, unless the largest is half of the rest: one worker
// would end up reading it alone.
func (f *feed) take() *job {
	f.mu.Lock()
	defer f.mu.Unlock()
	newest, largest, left := f.survey()
	if f.all || newest == nil {
		return nil
	}
	j := newest
	if largest.todo >= left/2 && !newest.live() {
		j = largest
	}
	f.drop(j)
	f.active[j.entry.ID] = j
	return j
}

// done marks a job as idle. With again, it must be continued.
func (f *feed) done(j *job, again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.active, j.entry.ID)
	_, known := f.known[j.entry.ID]
	switch {
	case !known:
		f.gone[j.entry.ID] = true // it was deleted while it was read
	case again && f.waiting[j.entry.ID] == nil:
		f.enlist(j)
	}
}

// took records that a part of a job is in the index, and how much is left.
func (f *feed) took(j *job, todo int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	j.todo, f.dirty = max(0, todo), true
}

// interrupted reports whether a worker should leave its job for now: all jobs are to be rebuilt, or
// an active conversation is waiting.
func (f *feed) interrupted(j *job) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all {
		return true
	}
	newest, _, _ := f.survey()
	return newest != nil && newest.live() && !j.live()
}

// progress returns the progress of reading.
func (f *feed) progress() event.Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _, left := f.survey()
	files := len(f.jobs)
	for id := range f.active {
		if f.waiting[id] == nil {
			files++
		}
	}
	p := event.Progress{Files: len(f.known), Bytes: f.bytes, Problem: f.problem}
	p.FilesDone, p.BytesDone = max(0, p.Files-files), max(0, p.Bytes-left)
	p.Busy = p.Problem == "" && !f.closed && (!f.caught || f.all || left > feedBusy)
	return p
}
