package heartbeat

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
	"parley/backend/heartbeat/plan"
	"parley/backend/outside"
	"parley/backend/platform/atomicfile"
)

// keptName is the name under which the accepted contents of the file are
// stored.
const keptName = "heartbeats"

// firstLook accepts the current contents if nothing was ever accepted.
func (s *Service) firstLook() {
	if s.cfg.Keep == nil {
		return
	}
	if text, err := readFile(s.cfg.Path); err == nil && text != nil {
		s.cfg.Keep.Base(keptName, text)
	}
}

// accepted returns the last accepted heartbeats.
func (s *Service) accepted() []plan.Spec {
	specs, err := plan.Accepted(s.cfg.Keep.Base(keptName, s.file.text))
	if err != nil {
		s.cfg.Logger.Warn("Couldn't read the accepted heartbeats", "err", err)
	}
	return specs
}

// emptied reports whether another program emptied the file: there are accepted
// heartbeats. A missing file was removed on purpose.
func (s *Service) emptied() bool {
	return s.cfg.Keep != nil && s.file.text != nil && len(s.accepted()) > 0
}

// standIn applies what was accepted last while the file has been unusable since the
// start: a restart doesn't mean to have no heartbeats.
func (s *Service) standIn() {
	if s.cfg.Keep == nil {
		return
	}
	var was plan.File
	for _, spec := range s.accepted() {
		was.Heartbeats = append(was.Heartbeats, plan.Entry{Spec: spec})
	}
	if len(was.Heartbeats) == 0 {
		return // the previous ones are unknown
	}
	s.share()
	s.apply(was)
}

// refilled returns the file to edit: an emptied one gets its contents back, so that the
// edit doesn't make the loss permanent.
func (s *Service) refilled() ([]byte, error) {
	text := s.file.text
	if parsed, _ := plan.Parse(text); !parsed.Empty || !s.emptied() {
		return text, nil
	}
	for _, spec := range s.accepted() {
		var err error
		if text, err = plan.Upsert(text, "", spec); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// weigh returns what applies of the file's contents.
func (s *Service) weigh(parsed plan.File) plan.File {
	if s.cfg.Keep == nil {
		return parsed
	}
	was := s.accepted()
	holds, held := outside.Heartbeats(was, plan.Specs(parsed))
	if !slices.Equal(held, s.held) && len(held) > 0 {
		s.cfg.Logger.Warn("Heartbeats changed outside Parley; riskier changes wait for your approval", "file", s.file.path, "changes", len(held))
	}
	s.held = held
	kept := slices.Clone(holds)
	for _, old := range was {
		if slices.Contains(parsed.Broken, old.Name) {
			kept = append(kept, old) // it applies again once it is fixed
		}
	}
	if !reflect.DeepEqual(kept, was) {
		if err := s.cfg.Keep.Adopt(keptName, plan.AcceptedText(kept)); err != nil {
			s.cfg.Logger.Warn("Couldn't save the accepted heartbeats", "err", err)
		}
	}
	weighed := plan.File{Broken: parsed.Broken}
	for _, spec := range holds {
		at := slices.IndexFunc(parsed.Heartbeats, func(e plan.Entry) bool { return e.Spec.Name == spec.Name })
		weighed.Heartbeats = append(weighed.Heartbeats, plan.Entry{Spec: spec, Line: parsed.Heartbeats[at].Line})
	}
	return weighed
}

// chosen returns what is accepted after Parley changed the file: its changes as they
// are now, the rest as before.
func (s *Service) chosen(before, after []byte) []plan.Spec {
	if s.cfg.Keep == nil {
		return nil
	}
	a, _ := plan.Parse(before)
	b, _ := plan.Parse(after)
	was, is := plan.Specs(a), plan.Specs(b)
	named := func(list []plan.Spec, name string) *plan.Spec {
		if i := slices.IndexFunc(list, func(s plan.Spec) bool { return s.Name == name }); i >= 0 {
			return &list[i]
		}
		return nil
	}
	specs := slices.DeleteFunc(s.accepted(), func(old plan.Spec) bool {
		return named(was, old.Name) != nil && named(is, old.Name) == nil && !slices.Contains(b.Broken, old.Name)
	})
	for _, now := range is {
		if old := named(was, now.Name); old != nil && reflect.DeepEqual(*old, now) {
			continue
		}
		if old := named(specs, now.Name); old != nil {
			*old = now
		} else {
			specs = append(specs, now)
		}
	}
	return specs
}

// writeKept writes the file, and stores what is then accepted.
func (s *Service) writeKept(text []byte, accepted []plan.Spec) error {
	if s.cfg.Keep == nil {
		return s.file.write(text, s.file.revision)
	}
	if err := s.cfg.Keep.Begin(keptName, plan.AcceptedText(accepted), s.file.text, text); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The heartbeats cannot be saved, because your review decision cannot be stored. Check the disk.")
	}
	err := s.file.write(text, s.file.revision)
	s.cfg.Keep.Done(keptName, err == nil)
	return err
}

// Held returns what another program wrote to the file that allows more than before, and
// the file's revision.
func (s *Service) Held(ctx context.Context) (held []outside.Change, revision string, err error) {
	type file struct {
		held     []outside.Change
		revision string
	}
	f, err := ask(ctx, s, func() (file, error) { return file{slices.Clone(s.held), s.file.revision}, nil })
	return f.held, f.revision, err
}

// decide acts on what is held in a revision of the file (fault conflict).
func (s *Service) decide(ctx context.Context, revision string, do func(parsed plan.File) error) error {
	_, err := ask(ctx, s, func() (struct{}, error) {
		s.reload()
		parsed, _ := plan.Parse(s.file.text)
		if s.file.revision != revision || s.stale {
			return struct{}{}, fault.New(fault.Conflict, "The heartbeats file changed in the meantime. Review it, then decide.")
		}
		err := do(parsed)
		s.reload()
		return struct{}{}, err
	})
	return err
}

// Accept applies the file's contents.
func (s *Service) Accept(ctx context.Context, revision string) error {
	return s.decide(ctx, revision, func(parsed plan.File) error {
		if err := s.cfg.Keep.Adopt(keptName, plan.AcceptedText(plan.Specs(parsed))); err != nil {
			return fault.Wrap(err, fault.Unavailable, "Your decision cannot be saved. Check the disk.")
		}
		return nil
	})
}

// Undo writes the accepted heartbeats back to the file. A backup is kept
// beside it.
func (s *Service) Undo(ctx context.Context, revision string) error {
	return s.decide(ctx, revision, func(parsed plan.File) error {
		aside := strings.TrimSuffix(s.file.real(), ".yaml") + ".outside-" + time.Now().Format("20060102-150405.000") + ".yaml"
		if err := atomicfile.Private(aside, s.file.text); err != nil {
			return fault.Wrap(err, fault.Unavailable, "The heartbeats cannot be saved next to %s. Check the disk and the folder's permissions.", s.file.path)
		}
		was := s.accepted()
		holds, _ := outside.Heartbeats(was, plan.Specs(parsed))
		text := s.file.text
		for _, now := range plan.Specs(parsed) {
			at := slices.IndexFunc(holds, func(old plan.Spec) bool { return old.Name == now.Name })
			var err error
			switch {
			case at < 0:
				text, err = plan.Remove(text, now.Name)
			case !reflect.DeepEqual(holds[at], now):
				text, err = plan.Upsert(text, now.Name, holds[at])
			}
			if err != nil {
				return err
			}
		}
		return s.writeKept(text, was)
	})
}

// Recheck rereads the file after a change of what is accepted.
func (s *Service) Recheck(ctx context.Context) error {
	_, err := ask(ctx, s, func() (struct{}, error) {
		s.reload()
		return struct{}{}, nil
	})
	return err
}
