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
	"parley/backend/platform/safeopen"
)

// Service implements process.*: the ledger of Parley's processes. At its start it ends what a
// crashed Parley left behind, and while Parley runs it watches memory.
//
// Goroutines: one that watches memory, and at the start one that waits for the
// leftovers' end; close waits for both.
type Service struct {
	cfg    Config
	owners owners
	// ledger is nil if the system does not list processes.
	ledger *process.Ledger
	self   process.ID
	// orphans is how many processes an earlier Parley left behind.
	orphans atomic.Int64

	cancel  context.CancelFunc
	running sync.WaitGroup
	// groups are the control groups of the CLIs, nil if not available.
	groups *contain.Groups
	// left is true until an earlier Parley's processes are known to be gone.
	left atomic.Bool
}

// Config has the ledger's dependencies. All fields are required.
type Config struct {
	// Data is the data folder, which this Parley has locked.
	Data string
	// Sessions returns the live sessions; Suspend ends the process of an idle one.
	Sessions func() []event.Session
	Suspend  func(ctx context.Context, sessionID string) error
	// Guard is the program that ends the control groups of a Parley that was killed.
	Guard func() string
	// Relieve frees memory. It is called when memory is low.
	Relieve func(context.Context)
	Log     *slog.Logger
}

// New returns the ledger and starts nothing: Start must run before anything else is started, and
// Close after everything else.
func New(cfg Config) *Service {
	p := &Service{cfg: cfg, owners: owners{folder: cfg.Data}}
	self, err := process.Self()
	if err != nil {
		cfg.Log.Warn("Couldn't list processes", "err", err)
		return p
	}
	p.self = self
	p.ledger = process.New(process.Config{Self: self, Mark: readMark, Members: func() map[int]string { return p.groups.Members() }})
	return p
}

// Group creates a control group for a session's CLI, nil if not available.
func (p *Service) Group(sessionID string) claude.Group {
	if g := p.groups.New(sessionID); g != nil {
		return g
	}
	return nil
}

// HeldGroup is the control group of a CLI being taken over, nil for none.
func (p *Service) HeldGroup(folder string) claude.Group {
	if g := p.groups.Held(folder); g != nil {
		return g
	}
	return nil
}

// EndGroup ends a session's remaining processes.
func (p *Service) EndGroup(sessionID string) { p.groups.End(sessionID) }

// HandOver leaves the control groups to the program that this process becomes.
func (p *Service) HandOver() (state json.RawMessage, life *os.File, err error) {
	return p.groups.HandOver()
}

// CancelHandOver keeps the control groups after all.
func (p *Service) CancelHandOver() { p.groups.CancelHandOver() }

// TakeOver continues with the control groups of the previous program.
func (p *Service) TakeOver(state json.RawMessage) error { return p.groups.TakeOver(state) }

// contain creates a place for control groups, if the system allows.
func (p *Service) contain() {
	cfg := contain.Config{
		Self: fmt.Sprintf("%d-%s", p.self.PID, p.Started()), Gone: func(pid int, began uint64) bool { return process.ID{PID: pid, Start: began}.Gone() },
		Guard: p.cfg.Guard, Note: p.owners.noteFolder, Noted: p.owners.folders(), Log: p.cfg.Log,
	}
	groups, err := contain.Open(cfg)
	if err != nil {
		p.cfg.Log.Info("Control groups unavailable; finding processes by markers and parents", "reason", err)
		return
	}
	p.groups = groups
}

// The ways in which the processes of sessions are contained.
const (
	heldByGroups = "cgroup"
	heldByMarks  = "marks"
)

// Held reports how the processes of sessions are contained.
func (p *Service) Held() string {
	if p.groups == nil {
		return heldByMarks
	}
	return heldByGroups
}

// readMark parses the marks of the CLI's processes.
func readMark(environ []byte) (process.Mark, bool) {
	m, ok := claude.ReadMarks(environ)
	if !ok {
		return process.Mark{}, false
	}
	// Without a start, no process matches: 0 belongs to none.
	started, _ := strconv.ParseUint(m.Started, 10, 64)
	return process.Mark{Owner: process.ID{PID: m.Owner, Start: started}, Group: m.SessionID}, true
}

// Started marks the CLIs, see [claude.Config].
func (p *Service) Started() string {
	if p.ledger == nil {
		return ""
	}
	return strconv.FormatUint(p.self.Start, 10)
}

// orphanGrace is how long leftovers have to end on their own.
const orphanGrace = 2 * time.Second

// Start looks for leftovers, which takes milliseconds, and ends them in parallel to whatever
// follows. Only Parleys of this data folder are considered: the folder is ours now, so they have
// ended, and those that ended in order left only what was meant to stay.
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
		p.cfg.Log.Warn("Couldn't read which processes an earlier Parley owned", "err", err)
	}
	// This process may have been another Parley before, whose CLIs continue.
	earlier = slices.DeleteFunc(earlier, func(id process.ID) bool { return id == p.self })
	p.note(append(earlier, p.self))
	orphans, err := p.ledger.Orphans(earlier...)
	if err != nil {
		p.cfg.Log.Warn("Couldn't look for processes of an earlier Parley", "err", err)
	}
	p.orphans.Store(int64(len(orphans)))
	if len(orphans) == 0 {
		p.note([]process.ID{p.self})
		return
	}
	p.left.Store(true)
	p.running.Go(func() {
		err := p.ledger.End(ctx, orphanGrace, orphans...)
		// One may have been started at the moment its parent ended.
		if more, _ := p.ledger.Orphans(earlier...); err == nil && len(more) > 0 {
			err = p.ledger.End(ctx, 0, more...)
		}
		if err != nil {
			p.cfg.Log.Warn("Couldn't stop the processes left by an earlier Parley", "err", err)
			return
		}
		p.cfg.Log.Info("Stopped the processes left by an earlier Parley", "processes", len(orphans))
		p.left.Store(false)
		p.note([]process.ID{p.self})
	})
}

// note records whose leftovers the next Parley has to end, in case this one crashes.
func (p *Service) note(owners []process.ID) {
	if err := p.owners.write(owners); err != nil {
		p.cfg.Log.Warn("Couldn't record this Parley as running", "err", err)
	}
}

// Close ends what Start started. inOrder means that no process of a session is left.
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

// look returns the processes, and the sessions by id.
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

// processInfo is Parley's view of a process. One without a session or mark was started by Parley
// itself, or by its window.
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

// endGrace is how long a process has to end on its own.
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
	p.cfg.Log.Info("Stopping a process", "pid", info.PID, "kind", info.Kind, "session", info.SessionID)
	if info.Kind == kindCLI {
		// An idle session ends its process itself, and does not treat that as a crash. Only the
		// session knows whether it is idle: the list may be slightly behind. A working one refuses,
		// and its process is ended anyway.
		if err := p.cfg.Suspend(ctx, info.SessionID); err != nil {
			p.cfg.Log.Debug("Couldn't suspend a session before stopping its process", "session", info.SessionID, "err", err)
		}
	}
	// Once started, this is completed even if the caller goes away.
	if err := p.ledger.End(context.WithoutCancel(ctx), endGrace, use.Others[i].ID); err != nil {
		return feature.Empty{}, fault.Wrap(err, fault.Unavailable, "Process %d did not end.", params.PID)
	}
	return feature.Empty{}, nil
}

// Kill kills a session's process, if it exists.
func (p *Service) Kill(ctx context.Context, pid int) {
	use, sessions, err := p.look()
	if err != nil {
		p.cfg.Log.Warn("Couldn't find a process to stop", "pid", pid, "err", err)
		return
	}
	i := slices.IndexFunc(use.Others, func(o process.Process) bool { return o.PID == pid })
	if i < 0 || processInfo(use.Others[i], sessions).Kind != kindCLI {
		return
	}
	if err := p.ledger.End(context.WithoutCancel(ctx), time.Millisecond, use.Others[i].ID); err != nil {
		p.cfg.Log.Warn("Couldn't stop a process", "pid", pid, "err", err)
	}
}

func ownPart(pid int) error {
	return fault.New(fault.Invalid, "Process %d belongs to Parley itself. To end it, quit Parley.", pid)
}

// owners is the file with the Parleys of a data folder that have not ended in order: the running
// one, and those that crashed and may have left processes.
type owners struct{ folder string }

// maxOwners bounds the file, in case Parleys repeatedly crash before ending each other's leftovers.
const maxOwners = 8

// maxNote is larger than any of these files.
const maxNote = 1 << 20

func (o owners) path() string { return filepath.Join(o.folder, "owners.json") }

func (o owners) read() ([]process.ID, error) {
	text, err := safeopen.Read(o.path(), maxNote)
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

// noteFolder records the folder of this Parley's control groups for the next one; folders returns
// the earlier records.
func (o owners) noteFolder(folder string) {
	_ = atomicfile.Private(o.groupsPath(), []byte(folder)) // it finds those beside its own anyway
}

func (o owners) folders() []string {
	text, err := safeopen.Read(o.groupsPath(), maxNote)
	if err != nil || !filepath.IsAbs(string(text)) {
		return nil
	}
	return []string{string(text)}
}

func (o owners) groupsPath() string { return filepath.Join(o.folder, "groups") }

// write replaces the file. It need not survive a reboot, as no process does.
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
