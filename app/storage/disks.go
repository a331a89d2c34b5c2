package storage

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/platform/disk"
	"parley/backend/problem"
)

// Disks knows whether Parley's data can be written. It is notified of each failed write, and checks
// the free space while sessions are working; it raises problems, and retries until they are over.
// While nothing is running and nothing is wrong, it does nothing.
//
// Goroutines: one that looks; close waits for it, but not for a disk that does not answer.
type Disks struct {
	cfg  Config
	book *problem.Book

	// probe is [disk.Probe], except in tests.
	probe func(dir string) error

	wake chan struct{}
	stop context.CancelFunc
	done chan struct{}

	mu sync.Mutex
	// failing are the things that could not be written, by name.
	failing map[string]failure
	// bad reports that something was wrong at the last check.
	bad bool
}

// Config has the dependencies of the problems and the disks. All fields are required.
type Config struct {
	// Data is Parley's folder, CLI the CLI's.
	Data, CLI string
	Publish   func(event.Event)
	// Working are the folders of working sessions.
	Working func() []string
	// Unwritten is why the store could not be written, nil if it could.
	Unwritten func() error
	// Retry writes pending data, once there is room.
	Retry func()
	Log   *slog.Logger
}

// failure is why a thing could not be written, and where it is.
type failure struct {
	kind   disk.Kind
	folder string
	cause  string
}

// The things whose writes are tracked, as named in problems.
const (
	ThingNotes, ThingAudit, thingConversations, thingFiles, thingOther = "notes", "audit", "conversations", "files", "other"
	ThingRooms, thingSettings                                          = "rooms", "settings"
)

// New returns the book of problems, whose changes it publishes, and the disks, which check nothing
// before Start.
func New(cfg Config) (*Problems, *Disks) {
	p := &Problems{}
	p.Book = problem.New(func() { cfg.Publish(&event.ProblemsChanged{Problems: p.list()}) })
	return p, newDisks(cfg, p.Book)
}

func newDisks(cfg Config, book *problem.Book) *Disks {
	return &Disks{cfg: cfg, book: book, probe: disk.Probe, wake: make(chan struct{}, 1), failing: map[string]failure{}}
}

// lookLimit bounds how long Close waits for a disk.
const lookLimit = time.Second

func (d *Disks) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	d.stop, d.done = cancel, make(chan struct{})
	go func() {
		defer close(d.done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-d.wake:
				d.look()
			}
		}
	}()
}

func (d *Disks) Close() {
	if d.stop == nil {
		return
	}
	d.stop()
	select {
	case <-d.done:
	case <-time.After(lookLimit):
		d.cfg.Log.Warn("Disk isn't responding")
	}
}

// Tick is called every second, and triggers a check if there is reason to.
func (d *Disks) Tick() {
	d.mu.Lock()
	wanted := d.bad || len(d.failing) > 0
	d.mu.Unlock()
	if wanted || len(d.cfg.Working()) > 0 {
		d.Nudge()
	}
}

// Nudge triggers a check soon.
func (d *Disks) Nudge() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Of returns the function that reports write errors of one thing.
func (d *Disks) Of(thing string) func(error) {
	return func(err error) { d.Heard(thing, err) }
}

// Failed handles any error; errors not about Parley's own files are ignored.
func (d *Disks) Failed(err error) {
	if disk.KindOf(err) == disk.Fine {
		return
	}
	if thing := d.thingAt(disk.PathOf(err)); thing != "" {
		d.Heard(thing, err)
	}
}

// Is reports whether an error is a disk error.
func (*Disks) Is(err error) bool { return disk.KindOf(err) != disk.Fine }

// Problems are the possible problems of files that are not about the disk; the others are raised
// where they occur.
func (d *Disks) Problems() problem.Looks {
	return problem.Looks{problem.NotesUnwritten: d.unwritten}
}

// unwritten reports that the store could not be written, for a reason other than the disk.
func (d *Disks) unwritten() (problem.Problem, bool) {
	err := d.cfg.Unwritten()
	if err == nil || d.Is(err) {
		return problem.Problem{}, false
	}
	return problem.Problem{ID: problem.NotesUnwritten, Facts: map[string]string{"cause": fault.MessageOf(err)}}, true
}

// Took reports whether an error is a disk error, and records it for a thing.
func (d *Disks) Took(thing string, err error) bool {
	if !d.Is(err) {
		return false
	}
	d.Heard(thing, err)
	return true
}

// Heard records why a thing could not be written.
func (d *Disks) Heard(thing string, err error) {
	kind := disk.KindOf(err)
	if kind == disk.Fine {
		return
	}
	d.mu.Lock()
	d.failing[thing] = failure{kind, d.folderOf(thing), disk.Cause(err)}
	d.mu.Unlock()
	d.Nudge()
}

// thingAt is the thing that a file of the data folder belongs to, "" for none.
func (d *Disks) thingAt(path string) string {
	within, err := filepath.Rel(d.cfg.Data, path)
	if path == "" || err != nil || !filepath.IsLocal(within) {
		return ""
	}
	first, _, _ := strings.Cut(filepath.ToSlash(within), "/")
	switch {
	case strings.HasPrefix(first, "parley.db"):
		return ThingNotes
	case strings.HasPrefix(first, "rooms"):
		return ThingRooms
	case first == paths.SettingsFile:
		return thingSettings
	case first == paths.HeartbeatsFile:
		return "heartbeats"
	case first == "audit", first == "attachments", first == paths.MemoryFolder, first == "search":
		return first
	}
	return thingOther
}

func (d *Disks) folderOf(thing string) string {
	if thing == thingConversations {
		return d.cfg.CLI
	}
	return d.cfg.Data
}

// look checks for problems and raises or clears them.
func (d *Disks) look() {
	found := map[string]failure{}
	var low string
	var free uint64
	room := func(folder string, things ...string) {
		has, err := disk.RoomOf(disk.Existing(folder))
		switch {
		case err != nil:
		case has.Full():
			for _, thing := range things {
				found[thing] = failure{disk.Full, folder, "no space left on device"}
			}
		case has.Low() && (low == "" || has.Free < free):
			low, free = folder, has.Free
		}
	}
	room(d.cfg.Data, ThingNotes, ThingAudit, thingSettings, "attachments", paths.MemoryFolder)
	room(d.cfg.CLI, thingConversations)
	for _, folder := range d.cfg.Working() {
		room(folder, thingFiles)
	}
	d.mu.Lock()
	heard := maps.Clone(d.failing)
	d.mu.Unlock()
	if len(heard) > 0 {
		if err := d.probe(d.cfg.Data); err != nil {
			for thing, why := range heard {
				if kind := disk.KindOf(err); kind != disk.Fine {
					why.kind, why.cause = kind, disk.Cause(err)
				}
				found[thing] = why
			}
		} else {
			d.mu.Lock()
			for thing, why := range heard {
				if d.failing[thing] == why {
					delete(d.failing, thing)
				}
			}
			d.mu.Unlock()
		}
	}
	d.tell(found, low, free)
}

// tell raises current problems, clears past ones, and then writes pending data.
func (d *Disks) tell(found map[string]failure, low string, free uint64) {
	var full, other []string
	for thing, why := range found {
		if why.kind == disk.Full {
			full = append(full, thing)
		} else {
			other = append(other, thing)
		}
	}
	d.raise(problem.DiskFull, full, found)
	d.raise(problem.DiskUnwritable, other, found)
	if low != "" {
		// Rounded, so that it does not change with every byte.
		d.book.Raise(problem.Problem{ID: problem.DiskLow, Facts: map[string]string{"folders": low, "free": fmt.Sprintf("%d MB", free>>20)}})
	} else {
		d.book.Clear(problem.DiskLow)
	}
	d.mu.Lock()
	was := d.bad
	d.bad = len(found) > 0 || low != ""
	now := d.bad
	d.mu.Unlock()
	if was && len(found) == 0 {
		d.cfg.Retry()
	}
	if was != now {
		d.cfg.Log.Info("Disk status changed", "full", full, "unwritable", other, "low", low)
	}
}

func (d *Disks) raise(id string, things []string, found map[string]failure) {
	if len(things) == 0 {
		d.book.Clear(id)
		return
	}
	slices.Sort(things)
	var folders []string
	for _, thing := range things {
		folders = append(folders, found[thing].folder)
	}
	slices.Sort(folders)
	d.book.Raise(problem.Problem{ID: id, Facts: map[string]string{
		problem.What: strings.Join(things, ","), "folders": strings.Join(slices.Compact(folders), ", "), "cause": found[things[0]].cause,
	}})
}
