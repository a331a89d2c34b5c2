package post

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"time"

	"parley/backend/chat"
)

// key returns a post's key, the same in every run of Parley.
func (s *Stream) key(turn string, at *slot) string {
	sum := sha256.Sum256([]byte(s.cfg.Key + "\x00" + s.cfg.RootID + "\x00" + turn))
	key := "post-" + hex.EncodeToString(sum[:12]) + "-" + at.part
	if at.gone > 0 {
		key += "-again"
	}
	return key
}

func (s *Stream) root() string {
	if s.cfg.Root == nil {
		return s.cfg.RootID
	}
	return s.cfg.Root()
}

func (s *Stream) send(turn string, at *slot, text string, files []string) bool {
	began := time.Now()
	p, err := s.cfg.Chat.Send(s.ctx, chat.NewPost{Key: s.key(turn, at), ChannelID: s.cfg.ChannelID, RootID: s.root(), Text: text, FileIDs: files})
	s.mu.Lock()
	if err == nil {
		at.id, at.text, at.known, at.made = p.ID, text, true, time.Now()
		if files == nil && p.Text != "" && strings.TrimSpace(p.Text) != strings.TrimSpace(text) {
			// An earlier Parley created it and died before storing that.
			at.text, at.was = p.Text, p.Text
			s.pace.changed(ending, time.Now())
		}
		s.unkept = true
	} else if errors.Is(err, chat.ErrGone) {
		at.dead = true // the thread is
	}
	s.mu.Unlock()
	return s.called(began, at, err)
}

func (s *Stream) edit(at *slot, text string, last bool) bool {
	began, done := time.Now(), true
	err := s.cfg.Chat.Edit(s.ctx, at.id, text, nil)
	s.mu.Lock()
	switch {
	case err == nil:
		at.text, at.known = text, true
	case errors.Is(err, chat.ErrGone):
		s.deleted(at, last)
		err, done = nil, false
	case errors.Is(err, chat.ErrForbidden) && at.known:
		// The next post shows whether anything can be written here.
		s.refuse(at, began)
		err, done = nil, false
	}
	s.mu.Unlock()
	return s.called(began, at, err) && done
}

// deleted records that a post was deleted. What is still changing continues in a new one,
// once. The caller holds s.mu.
func (s *Stream) deleted(at *slot, last bool) {
	at.id, at.known, at.was = "", false, ""
	at.gone++
	at.dead = at.gone > 1 || !last
	s.unkept = true
	s.pace.changed(ending, time.Now())
}

// look reads what an earlier Parley posted.
func (s *Stream) look(at *slot, last bool) bool {
	began := time.Now()
	p, err := s.cfg.Chat.Post(s.ctx, at.id)
	s.mu.Lock()
	switch {
	case err == nil:
		at.text, at.was, at.known, at.looked = p.Text, p.Text, true, true
		at.made = time.UnixMilli(p.At)
	case errors.Is(err, chat.ErrGone):
		s.deleted(at, last)
		err = nil
	case errors.Is(err, chat.ErrForbidden):
		at.looked, err = true, nil
	}
	s.pace.changed(ending, time.Now())
	s.mu.Unlock()
	s.called(began, at, err)
	return false // nothing was updated
}

// upload uploads the first pending file.
func (s *Stream) upload(f pendingFile) bool {
	began := time.Now()
	file, sum, err := s.put(f)
	s.mu.Lock()
	of := s.slotsOf(f.turn)
	if !errors.Is(err, chat.ErrOffline) && s.ctx.Err() == nil {
		if len(s.in.files) > 0 && s.in.files[0].turn == f.turn && s.in.files[0].name == f.name {
			s.in.files = s.in.files[1:]
		}
		if err == nil && file.ID != "" {
			of.uploaded[sum] = true
			of.files = append(of.files, file)
		}
		if t := s.in.find(f.turn); t != nil && err != nil && f.path == "" {
			t.dropped++
		}
		if err != nil {
			s.cfg.Logger.Info("Couldn't show a file in a thread", "name", f.name, "err", err)
			err = nil
		}
		s.pace.changed(ending, time.Now())
	}
	s.mu.Unlock()
	return s.called(began, nil, err)
}

// put uploads a file unless the turn has it. sum identifies it.
func (s *Stream) put(f pendingFile) (file chat.File, sum string, err error) {
	var r io.ReadSeeker = bytes.NewReader(f.data)
	if f.path != "" {
		o, err := openImage(s.cfg.Folder, f.path)
		if err != nil {
			return chat.File{}, "", err
		}
		defer o.Close()
		r = o
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(r, maxFileBytes+1))
	if err == nil && (n > maxFileBytes || n > s.cfg.Chat.Limits().FileBytes) {
		err = chat.ErrTooLarge
	}
	if err != nil {
		return chat.File{}, "", err
	}
	sum = hex.EncodeToString(h.Sum(nil))
	s.mu.Lock()
	has := s.slotsOf(f.turn).uploaded[sum]
	s.mu.Unlock()
	if has {
		return chat.File{}, sum, nil
	}
	if _, err = r.Seek(0, io.SeekStart); err != nil {
		return chat.File{}, "", err
	}
	file, err = s.cfg.Chat.Upload(s.ctx, s.cfg.ChannelID, f.name, io.LimitReader(r, n))
	return file, sum, err
}

func (s *Stream) typing() bool {
	began := time.Now()
	if err := s.cfg.Chat.Typing(s.ctx, s.cfg.ChannelID, s.root()); err != nil {
		s.cfg.Logger.Debug("Couldn't show the typing indicator", "err", err)
	}
	s.mu.Lock()
	s.pace.typed(time.Now(), time.Since(began))
	s.mu.Unlock()
	return true
}

// called accounts for a call and reports or clears the problem.
func (s *Stream) called(began time.Time, at *slot, err error) (ok bool) {
	now := time.Now()
	s.mu.Lock()
	problem := ""
	switch {
	case err == nil:
		s.pace.called(now, now.Sub(began))
	case s.ctx.Err() != nil:
	case errors.Is(err, chat.ErrGone):
		problem = "The thread was deleted in the chat, so Parley cannot post in it."
	case errors.Is(err, chat.ErrForbidden):
		problem = "Parley's account may not post in this thread. Check its permissions in the channel."
	case errors.Is(err, chat.ErrTooLarge):
		problem = "A post was too large for the chat and was left out."
	default:
		problem = "The chat cannot be reached. New posts follow when it is back."
		s.pace.failed(now)
	}
	if problem != "" {
		s.pace.changed(ending, now)
		if at != nil && !s.pace.notBefore.After(now) {
			at.dead = true
		}
	}
	told := problem == s.problem
	s.problem = problem
	s.mu.Unlock()
	ok = problem == "" && s.ctx.Err() == nil
	if told {
		return ok
	}
	if problem != "" {
		s.cfg.Logger.Warn("Couldn't update a thread", "thread", s.cfg.RootID, "err", err)
	}
	if s.cfg.Problem != nil {
		s.cfg.Problem(problem)
	}
	return ok
}
