package processes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"parley/app/feature"
	"parley/backend/claude"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/contain"
	"parley/backend/platform/process"
	"parley/backend/platform/regular"
)

// Service is the service behind process.*: the ledger of what Parley started. At
// the start it ends what a Parley that crashed left behind, and while Parley runs it
// watches over memory.
//
// Goroutines: one that watches memory, and at the start one that waits for the
// leftovers' end; close waits for both.
type Service struct {
	cfg    Config
	owners owners
	// ledger is nil where the system says nothing of processes.
	ledger *process.Ledger
	self   process.ID
	// orphans is how many processes an earlier Parley had left behind.
	orphans atomic.Int64

	cancel  context.CancelFunc
	running sync.WaitGroup
	// groups are the control groups of the CLIs, nil where there are none.
	groups *contain.Groups
	// left is true while an earlier Parley's processes are not known to be gone.
	left atomic.Bool
}

// Config is what the ledger needs of the rest. All fields are required.
type Config struct {
	// Data is the data folder, which this Parley has for itself.
	Data string
	// Sessions returns the live sessions; Suspend ends the process of one that rests.
	Sessions func() []event.Session
	Suspend  func(ctx context.Context, sessionID string) error
	// Guard is the program that ends the control groups of a Parley that was killed.
	Guard func() string
	// Relieve gives memory back. It is called when memory is short.
	Relieve func(context.Context)
	Log     *slog.Logger
}

// New makes the ledger and starts nothing: start does, before anything
// else is started, and close ends that after everything else.
func New(cfg Config) *Service {
	p := &Service{cfg: cfg, owners: owners{folder: cfg.Data}}
	self, err := process.Self()
	if err != nil {
		cfg.Log.Warn("Cannot look at processes", "err", err)
		return p
	}
	p.self = self
	p.ledger = process.New(process.Config{Self: self, Mark: readMark, Members: func() map[int]string { return p.groups.Members() }})
	return p
}

// Group makes a control group for a CLI of a session, nil where there are none.
func (p *Service) Group(sessionID string) claude.Group {
	if g := p.groups.New(sessionID); g != nil {
		return g
	}
	return nil
}

// HeldGroup is the control group of a CLI that is taken over, nil for none.
func (p *Service) HeldGroup(folder string) claude.Group {
	if g := p.groups.Held(folder); g != nil {
		return g
	}
	return nil
}

// EndGroup ends what is left of a session's processes.
func (p *Service) EndGroup(sessionID string) { p.groups.End(sessionID) }

// HandOver leaves the control groups to the program that this process becomes.
func (p *Service) HandOver() (state json.RawMessage, life *os.File, err error) {
	return p.groups.HandOver()
}

// GoOn keeps the control groups after all.
func (p *Service) GoOn() { p.groups.GoOn() }

// TakeOver continues with the control groups of the program before this one.
func (p *Service) TakeOver(state json.RawMessage) error { return p.groups.TakeOver(state) }

// contain makes a place for control groups, where the system has one for Parley.
func (p *Service) contain() {
	cfg := contain.Config{
		Self: fmt.Sprintf("%d-%s", p.self.PID, p.Started()), Gone: func(pid int, began uint64) bool { return process.ID{PID: pid, Start: began}.Gone() },
		Guard: p.cfg.Guard, Note: p.owners.noteFolder, Noted: p.owners.folders(), Log: p.cfg.Log,
	}
	groups, err := contain.Open(cfg)
	if err != nil {
		p.cfg.Log.Info("Processes are found by their marks and parents: there are no control groups for them", "reason", err)
		return
	}
	p.groups = groups
}

// The ways in which the processes of sessions are held together.
const (
	heldByGroups = "cgroup"
	heldByMarks  = "marks"
)

// Held says how the processes of sessions are held together.
func (p *Service) Held() string {
	if p.groups == nil {
		return heldByMarks
	}
	return heldByGroups
}

// readMark is how the marks of the CLI's processes read.
func readMark(environ []byte) (process.Mark, bool) {
	m, ok := claude.ReadMarks(environ)
	if !ok {
		return process.Mark{}, false
	}
	// Without a start nobody is named, and 0 is nobody's.
	started, _ := strconv.ParseUint(m.Started, 10, 64)
	return process.Mark{Owner: process.ID{PID: m.Owner, Start: started}, Group: m.SessionID}, true
}

// Started is for the marks of CLIs, see [claude.Config].
func (p *Service) Started() string {
	if p.ledger == nil {
		return ""
	}
	return strconv.FormatUint(p.self.Start, 10)
}

// orphanGrace is how long leftovers get to end by themselves.
const orphanGrace = 2 * time.Second

// Start looks for leftovers, which takes milliseconds, and ends them beside
// whatever comes next. Only Parleys of this data folder are looked after: as the
// folder is ours now, they have ended, and those that did so in order have left only
// what was meant to stay.
func (p *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.running.Go(func() { process.Watch(ctx, process.ReadMemory, p.cfg.Relieve, p.cfg.Log) })
	if p.ledger == nil {
		return
	}
	p.contain()
	earlier, err := p.owners.read()
	if err != nil {
		p.cfg.Log.Warn("Cannot tell whether an earlier Parley left processes behind", "err", err)
	}
	// This process may have been another Parley before, whose CLIs continue.
	earlier = slices.DeleteFunc(earlier, func(id process.ID) bool { return id == p.self })
	p.note(append(earlier, p.self))
	orphans, err := p.ledger.Orphans(earlier...)
	if err != nil {
		p.cfg.Log.Warn("Cannot look for processes of an earlier Parley", "err", err)
	}
	p.orphans.Store(int64(len(orphans)))
	if len(orphans) == 0 {
		p.note([]process.ID{p.self})
		return
	}
	p.left.Store(true)
	p.running.Go(func() {
		err := p.ledger.End(ctx, orphanGrace, orphans...)
		// One may have been started in the moment in which its parent ended.
		if more, _ := p.ledger.Orphans(earlier...); err == nil && len(more) > 0 {
			err = p.ledger.End(ctx, 0, more...)
		}
		if err != nil {
			p.cfg.Log.Warn("Could not end what an earlier Parley left behind", "err", err)
			return
		}
		p.cfg.Log.Info("Ended what an earlier Parley left behind", "processes", len(orphans))
		p.left.Store(false)
		p.note([]process.ID{p.self})
	})
}

// note writes who the next Parley has to look after, should this one crash.
func (p *Service) note(owners []process.ID) {
	if err := p.owners.write(owners); err != nil {
		p.cfg.Log.Warn("Cannot note that this Parley runs", "err", err)
	}
}

// Close ends what start began. In order means that no process of a session is left.
func (p *Service) Close(inOrder bool) {
	if p.cancel == nil {
		return
	}
	p.cancel()
	p.running.Wait()
	p.groups.Close()
	if inOrder && !p.left.Load() {
		p.note(nil)
	}
}

// The kinds of processes.
const (
	kindParley     = "parley"
	kindCLI        = "cli"
	kindDescendant = "descendant"
	kindProbe      = "probe"
)

func (p *Service) List(context.Context, feature.Empty) (ProcessList, error) {
	list := ProcessList{Processes: []ProcessInfo{}, Orphans: int(p.orphans.Load()), Held: p.Held()}
	use, sessions, err := p.look()
	if err != nil {
		return list, err
	}
	list.Self = processInfo(use.Self, sessions)
	for _, o := range use.Others {
		list.Processes = append(list.Processes, processInfo(o, sessions))
	}
	return list, nil
}

// look reads the processes, and the sessions by their ids.
func (p *Service) look() (process.Use, map[string]event.Session, error) {
	if p.ledger == nil {
		return process.Use{}, nil, fault.New(fault.Unavailable, "Parley cannot list processes on this system.")
	}
	sessions := make(map[string]event.Session)
	var roots []int
	for _, s := range p.cfg.Sessions() {
		sessions[s.ID] = s
		if s.PID > 0 {
			roots = append(roots, s.PID)
		}
	}
	use, err := p.ledger.Look(roots...)
	if err != nil {
		return use, nil, fault.Wrap(err, fault.Unavailable, "Parley cannot read the system's processes.")
	}
	return use, sessions, nil
}

// processInfo says what a process is to Parley. One that has neither a session nor a
// mark was started by Parley for itself, or by its window.
func processInfo(o process.Process, sessions map[string]event.Session) ProcessInfo {
	info := ProcessInfo{
		PID: o.PID, Kind: kindParley, Name: o.Name, SessionID: o.Group,
		StartedAt: o.StartedAt.UnixMilli(), CPUPercent: math.Round(o.Percent*10) / 10, CPUMs: o.CPU.Milliseconds(), Bytes: o.Bytes,
	}
	for id, s := range sessions {
		if o.Root != 0 && s.PID == o.Root {
			info.SessionID = id
		}
	}
	switch {
	case o.Root == o.PID:
		info.Kind = kindCLI
	case info.SessionID != "":
		info.Kind = kindDescendant
	case o.Marked:
		info.Kind = kindProbe
	}
	s := sessions[info.SessionID]
	info.Title, info.Engine, info.State = s.Title, s.Engine, s.State
	return info
}

// endGrace is how long a process gets to end by itself.
const endGrace = 2 * time.Second

func (p *Service) End(ctx context.Context, params ProcessEndParams) (feature.Empty, error) {
	use, sessions, err := p.look()
	if err != nil {
		return feature.Empty{}, err
	}
	if params.PID == use.Self.PID {
		return feature.Empty{}, ownPart(params.PID)
	}
	i := slices.IndexFunc(use.Others, func(o process.Process) bool { return o.PID == params.PID })
	if i < 0 {
		return feature.Empty{}, fault.New(fault.NotFound, "Parley has no process %d. It may have ended already.", params.PID)
	}
	info := processInfo(use.Others[i], sessions)
	if info.Kind == kindParley {
		return feature.Empty{}, ownPart(params.PID)
	}
	p.cfg.Log.Info("Ending a process", "pid", info.PID, "kind", info.Kind, "session", info.SessionID)
	if info.Kind == kindCLI {
		// A session that rests puts its process away itself, and does not call it a
		// crash. Only the session knows whether it rests: what is listed may be a moment
		// behind. One that works refuses, and its process is ended anyway.
		if err := p.cfg.Suspend(ctx, info.SessionID); err != nil {
			p.cfg.Log.Debug("A session does not put its process away", "session", info.SessionID, "err", err)
		}
	}
	// Who asked may go away; what was begun is brought to its end.
	if err := p.ledger.End(context.WithoutCancel(ctx), endGrace, use.Others[i].ID); err != nil {
		return feature.Empty{}, fault.Wrap(err, fault.Unavailable, "Process %d did not end.", params.PID)
	}
	return feature.Empty{}, nil
}

// Kill ends a process of a session's at once, if it is there.
func (p *Service) Kill(ctx context.Context, pid int) {
	use, sessions, err := p.look()
	if err != nil {
		p.cfg.Log.Warn("Cannot look for a process that is to be ended", "pid", pid, "err", err)
		return
	}
	i := slices.IndexFunc(use.Others, func(o process.Process) bool { return o.PID == pid })
	if i < 0 || processInfo(use.Others[i], sessions).Kind != kindCLI {
		return
	}
	if err := p.ledger.End(context.WithoutCancel(ctx), time.Millisecond, use.Others[i].ID); err != nil {
		p.cfg.Log.Warn("A process does not end", "pid", pid, "err", err)
	}
}

func ownPart(pid int) error {
	return fault.New(fault.Invalid, "Process %d belongs to Parley itself. To end it, quit Parley.", pid)
}

// owners is the file that names the Parleys of a data folder that have not ended in
// order: the one that runs, and those that crashed and may have left processes.
type owners struct{ folder string }

// maxOwners bounds the file: Parleys that crash one after the other without ending
// each other's leftovers.
const maxOwners = 8

// maxNote is more than any of these notes has.
const maxNote = 1 << 20

func (o owners) path() string { return filepath.Join(o.folder, "owners.json") }

func (o owners) read() ([]process.ID, error) {
	text, err := regular.Read(o.path(), maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []process.ID
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read who used the data folder: %w", err)
	}
	return list, nil
}

// noteFolder notes where this Parley has its control groups, for the next one, and
// folders is what earlier ones noted.
func (o owners) noteFolder(folder string) {
	_ = atomicfile.Private(o.groupsPath(), []byte(folder)) // those beside its own it finds anyway
}

func (o owners) folders() []string {
	text, err := regular.Read(o.groupsPath(), maxNote)
	if err != nil || !filepath.IsAbs(string(text)) {
		return nil
	}
	return []string{string(text)}
}

func (o owners) groupsPath() string { return filepath.Join(o.folder, "groups") }

// write replaces the file. It need not outlive the machine, as no process does.
func (o owners) write(list []process.ID) error {
	if len(list) == 0 {
		return os.Remove(o.path())
	}
	text, err := json.Marshal(list[max(0, len(list)-maxOwners):])
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.path()+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(o.path()+".new", o.path())
}
