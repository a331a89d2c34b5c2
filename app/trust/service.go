package trust

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"parley/app/feature"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/permission/audit"
	"parley/backend/permission/trust"
	"parley/backend/store"
	"parley/backend/store/model"
)

// Limits on what users are shown about a folder.
const (
	maxTrustFindings = 200
	// maxTrustCommand is the maximum length of one command in characters.
	maxTrustCommand = 20_000
)

// Config has a service's dependencies.
type Config struct {
	Records interface {
		Get(folder string) (model.Trust, error)
		All() ([]model.Trust, error)
		Put(folder string, t model.Trust) error
		Delete(folder string) error
	}
	// Store reports whether decisions have to be confirmed by a user, after it was lost.
	Store interface{ Doubted() bool }
	// Config is the CLI's configuration folder, for demo sessions or others.
	Config  func(scripted bool) string
	Publish func(event.Event)
	// Scripted is true if every session uses the scripted model.
	Scripted bool
}

// Service implements trust.*, and asks users before the CLI first starts in a folder that makes it
// load or run something.
type Service struct {
	cfg Config
}

// New returns a service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// real is a folder's resolved path, under which it is stored.
func real(folder string) string {
	if r, err := filepath.EvalSymlinks(folder); err == nil {
		folder = r
	}
	return filepath.Clean(folder)
}

// Look reports a folder's findings, and the decision about them.
func (t *Service) Look(folder string, scripted bool) TrustReport {
	folder = real(folder)
	found := trust.Look(t.cfg.Config(scripted), folder, t.cfg.Config(false))
	report := TrustReport{Folder: folder, Hash: found.Hash, State: "none", Findings: []TrustFinding{}}
	if found.Hash == "" {
		return report
	}
	for _, f := range found.Findings[:min(len(found.Findings), maxTrustFindings)] {
		f.Command = audit.Mask(f.Command)
		if runes := []rune(f.Command); len(runes) > maxTrustCommand {
			f.Command = string(runes[:maxTrustCommand]) + fmt.Sprintf(" … (%d more characters)", len(runes)-maxTrustCommand)
		}
		report.Findings = append(report.Findings, TrustFinding(f))
	}
	report.More = len(found.Findings) - len(report.Findings)
	kept, err := t.cfg.Records.Get(folder)
	switch {
	case err != nil:
		report.State = "unknown"
	case kept.Hash != found.Hash || t.cfg.Store.Doubted():
		report.State = "changed"
	default:
		report.State = kept.Choice
	}
	return report
}

// Keep stores a decision. It is for what was shown, even if the folder has changed since.
func (t *Service) Keep(report TrustReport, d permission.Decision) error {
	err := t.cfg.Records.Put(report.Folder, model.Trust{
		Folder: report.Folder, Hash: report.Hash, Choice: d.Choice, At: time.Now().UnixMilli(), By: d.By,
	})
	t.cfg.Publish(&event.RulesChanged{})
	return err
}

// Check is trust.check.
func (t *Service) Check(_ context.Context, p TrustCheckParams) (TrustReport, error) {
	if !filepath.IsAbs(p.CWD) {
		return TrustReport{}, fault.New(fault.Invalid, "The folder %.200q is not an absolute path (parameter cwd).", p.CWD)
	}
	return t.Look(p.CWD, t.cfg.Scripted), nil
}

// List is trust.list.
func (t *Service) List(context.Context, feature.Empty) (TrustList, error) {
	list := TrustList{Folders: []TrustedFolder{}}
	all, err := t.cfg.Records.All()
	if err != nil {
		return list, err
	}
	for _, one := range all {
		list.Folders = append(list.Folders, TrustedFolder(one))
	}
	slices.SortFunc(list.Folders, func(a, b TrustedFolder) int { return cmp.Compare(b.At, a.At) })
	return list, nil
}

// Forget is trust.forget.
func (t *Service) Forget(_ context.Context, p TrustRef) (feature.Empty, error) {
	if _, err := t.cfg.Records.Get(p.Folder); errors.Is(err, store.ErrNotFound) {
		return feature.Empty{}, fault.New(fault.NotFound, "There is no decision about the folder %.200q (parameter folder).", p.Folder)
	}
	err := t.cfg.Records.Delete(p.Folder)
	t.cfg.Publish(&event.RulesChanged{})
	return feature.Empty{}, err
}
