package outside

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	appaudit "parley/app/audit"
	"parley/app/chat/config"
	"parley/app/feature"
	"parley/app/method"
	"parley/app/permissions"
	"parley/backend/fault"
	"parley/backend/heartbeat"
	"parley/backend/kept"
	"parley/backend/memory"
	"parley/backend/outside"
	"parley/backend/paths"
	"parley/backend/problem"
	"parley/backend/settings"
	"parley/backend/style"
)

// Config has a service's dependencies.
type Config struct {
	Data     string
	Kept     *kept.Keep
	Settings *settings.Store
	Beats    *heartbeat.Service
	ChatFile *config.File
	// Chat follows what was accepted in its file.
	Chat        interface{ Follow() }
	Memory      *memory.Store
	Style       *style.File
	Permissions *permissions.Service
	Audits      *appaudit.Service
	// Store notes the budgets a user accepted.
	Store interface {
		NoteBudgets(by string, b settings.Budgets)
	}
	// Look checks for problems. After each decision it reports at once that a problem is gone: a
	// change that follows is then a new one.
	Look func()
}

// Service implements outside.*: external changes to Parley's files that need the user's decision.
// Only the API can decide: no tool and no Mattermost command can.
type Service struct {
	cfg Config
}

// New returns a service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// outsideStore is the name of Parley's own store among the held files.
const outsideStore = "store"

// heldFile is a file with held changes, and the way to decide about them.
type heldFile struct {
	name, path, revision string
	changes              []outside.Change
	accept, undo         func(ctx context.Context, revision string) error
}

// heldLimit bounds the wait for the owner of heartbeats.
const heldLimit = 2 * time.Second

// Count is the number of files with held changes.
func (o *Service) Count(ctx context.Context) int { return len(o.files(ctx)) }

// files are the files with held changes.
func (o *Service) files(ctx context.Context) []heldFile {
	var list []heldFile
	plain := func(f func(string) error) func(context.Context, string) error {
		return func(_ context.Context, revision string) error { return f(revision) }
	}
	add := func(f heldFile) {
		if len(f.changes) > 0 {
			f.path = filepath.Join(o.cfg.Data, filepath.FromSlash(f.name))
			list = append(list, f)
		}
	}
	changes, revision := o.cfg.Settings.Held()
	add(heldFile{name: paths.SettingsFile, revision: revision, changes: changes, accept: plain(o.cfg.Settings.Accept), undo: plain(o.cfg.Settings.Undo)})
	ctx, cancel := context.WithTimeout(ctx, heldLimit)
	defer cancel()
	if changes, revision, err := o.cfg.Beats.Held(ctx); err == nil { // it has not started, or has ended
		add(heldFile{name: paths.HeartbeatsFile, revision: revision, changes: changes, accept: o.cfg.Beats.Accept, undo: o.cfg.Beats.Undo})
	}
	changes, revision = o.cfg.ChatFile.HeldNow()
	add(heldFile{
		name: paths.ChatFile, revision: revision, changes: changes,
		accept: func(_ context.Context, revision string) error {
			defer o.cfg.Chat.Follow()
			return o.cfg.ChatFile.Accept(revision)
		},
		undo: plain(o.cfg.ChatFile.Undo),
	})
	changes, revision = o.cfg.Style.Held()
	add(heldFile{name: paths.StyleFile, revision: revision, changes: changes, accept: plain(o.cfg.Style.Accept), undo: plain(o.cfg.Style.Undo)})
	held, err := o.cfg.Memory.Held()
	if err != nil {
		return list // it is reported elsewhere
	}
	for _, h := range held {
		add(heldFile{
			name: paths.MemoryFolder + "/" + h.Name(), revision: h.Revision, changes: []outside.Change{h.Change},
			accept: func(ctx context.Context, revision string) error { return o.cfg.Memory.Accept(ctx, h.Place, revision) },
			undo:   func(ctx context.Context, revision string) error { return o.cfg.Memory.Undo(ctx, h.Place, revision) },
		})
	}
	return list
}

// Problems are the service's possible problems.
func (o *Service) Problems() problem.Looks {
	return problem.Looks{problem.ChangesHeld: o.problem}
}

// problem reports files with held changes, if any.
func (o *Service) problem() (p problem.Problem, wrong bool) {
	var names []string
	for _, f := range o.files(context.Background()) {
		names = append(names, fmt.Sprintf("%s (%d)", f.name, len(f.changes)))
	}
	return problem.Problem{ID: problem.ChangesHeld, Facts: map[string]string{"files": strings.Join(names[:min(len(names), 10)], ", ")}}, len(names) > 0
}

// List is outside.list.
func (o *Service) List(ctx context.Context, _ feature.Empty) (HeldList, error) {
	all := HeldList{Doubt: o.cfg.Kept.Doubt(), Files: []HeldFile{}}
	files := o.files(ctx)
	for _, f := range files[:min(len(files), maxFiles)] {
		one := HeldFile{Name: f.name, Path: f.path, Revision: f.revision, Changes: []HeldChange{}}
		shown, more := outside.Shown(f.changes)
		for _, c := range shown {
			one.Changes = append(one.Changes, HeldChange(c))
		}
		one.More = more
		all.Files = append(all.Files, one)
	}
	all.More = len(files) - len(all.Files)
	return all, nil
}

// maxFiles is how many files are listed at once.
const maxFiles = 16

// Accept is outside.accept.
func (o *Service) Accept(ctx context.Context, p HeldRef) (HeldList, error) {
	if p.Name == outsideStore {
		return o.acceptStore(ctx)
	}
	return o.decide(ctx, p, "accepted", func(f heldFile) func(context.Context, string) error { return f.accept })
}

// Undo is outside.undo.
func (o *Service) Undo(ctx context.Context, p HeldRef) (HeldList, error) {
	if p.Name == outsideStore {
		return HeldList{}, fault.New(fault.Invalid, "There is no earlier version of Parley's database to return to. Restore a snapshot, or accept the database as it is.")
	}
	return o.decide(ctx, p, "undone", func(f heldFile) func(context.Context, string) error { return f.undo })
}

func (o *Service) decide(ctx context.Context, p HeldRef, outcome string, how func(heldFile) func(context.Context, string) error) (HeldList, error) {
	files := o.files(ctx)
	at := slices.IndexFunc(files, func(f heldFile) bool { return f.name == p.Name })
	if at < 0 {
		return HeldList{}, fault.New(fault.NotFound, "%.100q has no changes to review.", p.Name)
	}
	f := files[at]
	if f.revision != p.Revision {
		return HeldList{}, fault.New(fault.Conflict, "%s changed in the meantime. Review it, then decide.", f.name)
	}
	if _, more := outside.Shown(f.changes); more > 0 && outcome == "accepted" {
		return HeldList{}, fault.New(fault.TooLarge, "The changes to %s are too long to be shown in full. Undo them, then make them in smaller steps.", f.name)
	}
	if err := o.record(ctx, p.Name, outcome, f.changes); err != nil && outcome == "accepted" {
		return HeldList{}, err
	}
	if err := how(f)(ctx, p.Revision); err != nil {
		return HeldList{}, err
	}
	o.cfg.Store.NoteBudgets(method.Surface(ctx), o.cfg.Settings.Get().Budgets)
	o.cfg.Look()
	return o.List(ctx, feature.Empty{})
}

// record records a user's decision. Accepting requires a record.
func (o *Service) record(ctx context.Context, name, outcome string, changes []outside.Change) error {
	var fields []string
	for _, c := range changes {
		fields = append(fields, c.Field)
	}
	return o.cfg.Audits.Outside(ctx, name, outcome, strings.Join(fields, ", "))
}

// acceptStore accepts the store as it is. Files that differ from what it has as accepted are still
// held.
func (o *Service) acceptStore(ctx context.Context) (HeldList, error) {
	why := o.cfg.Kept.Doubt()
	if why == "" {
		return HeldList{}, fault.New(fault.NotFound, "Parley's database has no changes to review.")
	}
	if err := o.record(ctx, outsideStore, "accepted", []outside.Change{{Field: why}}); err != nil {
		return HeldList{}, err
	}
	if err := o.cfg.Kept.Clear(); err != nil {
		return HeldList{}, fault.Wrap(err, fault.Unavailable, "Your decision cannot be saved. Check the disk.")
	}
	o.cfg.Settings.Recheck()
	o.cfg.Store.NoteBudgets(method.Surface(ctx), o.cfg.Settings.Get().Budgets)
	if err := o.cfg.Beats.Recheck(ctx); err != nil {
		return HeldList{}, err
	}
	o.cfg.ChatFile.Recheck()
	o.cfg.Chat.Follow()
	o.cfg.Memory.Recheck()
	o.cfg.Style.Recheck()
	o.cfg.Permissions.Recheck()
	o.cfg.Look()
	return o.List(ctx, feature.Empty{})
}
