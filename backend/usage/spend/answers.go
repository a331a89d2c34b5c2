package spend

import (
	"cmp"
	"encoding/binary"
	"slices"

	"parley/backend/owner"
	"parley/backend/store/model"
	"parley/backend/usage"
)

const (
	// answerBytes is the size of an answer in a record, chunkAnswers how many a record holds.
	answerBytes  = 8 + 4
	chunkAnswers = 1024
	// withInput marks an answer whose input is counted: some providers report it late.
	withInput = 1 << 31
)

// Told adds answers from a conversation's file. sessionID is their session if
// they name none. If it fails, nothing was added.
func (l *Ledger) Told(sessionID, cwd string, answers []usage.Answer) error {
	if err := l.recall(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, answer := range answers {
		a := l.account(cmp.Or(answer.Session, sessionID), cwd)
		if a != nil && l.take(a, &answer) {
			l.touch(a.CLISessionID)
		}
	}
	if len(l.counted) > maxAnswers {
		owner.Wake(l.wake)
	}
	return nil
}

// take counts the new part of an answer. The caller holds mu.
func (l *Ledger) take(a *account, answer *usage.Answer) bool {
	before, known := l.counted[answer.Key]
	add := answer.Tokens
	after := uint32(min(max(add.OutputTokens, 0), withInput-1))
	if usage.Sum(add) > add.OutputTokens {
		after |= withInput
	}
	if known {
		add.OutputTokens = max(0, int64(after&^withInput)-int64(before&^withInput))
		if before&withInput != 0 {
			add.InputTokens, add.CacheReadTokens, add.CacheCreationTokens = 0, 0, 0
			after |= withInput
		}
		after = max(after&^withInput, before&^withInput) | after&withInput
		if after == before {
			// An answer that is also in another conversation was copied, in either direction.
			if !a.Shared && len(a.Rows) == 0 {
				a.Shared = true
				return true
			}
			return false
		}
	}
	row := a.row(l.day(answer.At), answer.Model)
	if !known {
		row.Answers++
	}
	row.Tokens.Input += add.InputTokens
	row.Tokens.CacheRead += add.CacheReadTokens
	row.Tokens.CacheCreation += add.CacheCreationTokens
	row.Tokens.Output += add.OutputTokens
	l.counted[answer.Key] = after
	a.fresh = binary.BigEndian.AppendUint64(a.fresh, answer.Key)
	a.fresh = binary.BigEndian.AppendUint32(a.fresh, after)
	return true
}

// chunks returns the records that hold the fresh answers, the newest last, and the total
// number of records. The previous one is continued if there is room.
func (a *account) chunks() ([]model.CountedAnswers, int) {
	n := a.Chunks
	if len(a.fresh) == 0 {
		return nil, n
	}
	const size = chunkAnswers * answerBytes
	all := a.fresh
	if n > 0 && a.chunk != nil && len(a.chunk) < size {
		all = slices.Concat(a.chunk, a.fresh)
		n--
	}
	var list []model.CountedAnswers
	for part := range slices.Chunk(all, size) {
		list = append(list, model.CountedAnswers{CLISessionID: a.CLISessionID, Chunk: n, Counted: slices.Clone(part)})
		n++
	}
	return list, n
}

// recall loads the remembered answers, once.
func (l *Ledger) recall() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	done := l.recalled
	l.mu.Unlock()
	if done {
		return nil
	}
	counted := make(map[uint64]uint32)
	err := l.cfg.Records.Answers("", func(r model.CountedAnswers) { read(r, counted) })
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counted, l.recalled = counted, true
	return nil
}

// read adds a record's answers. Of several entries for an answer the largest counts.
func read(r model.CountedAnswers, to map[uint64]uint32) {
	for rest := r.Counted; len(rest) >= answerBytes; rest = rest[answerBytes:] {
		key, value := binary.BigEndian.Uint64(rest), binary.BigEndian.Uint32(rest[8:])
		old := to[key]
		to[key] = max(old&^withInput, value&^withInput) | (old|value)&withInput
	}
}

// makeRoom forgets the answers of the longest inactive conversations if there are more
// than most, until at most room are left.
func (l *Ledger) makeRoom(most, room int) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	type resting struct{ id, day string }
	var list []resting
	if len(l.counted) > most {
		for id, a := range l.sessions {
			if a.Chunks > 0 && !l.dirty[id] {
				last := ""
				for _, r := range a.Rows {
					last = max(last, r.Day)
				}
				list = append(list, resting{id, last})
			}
		}
	}
	l.mu.Unlock()
	slices.SortFunc(list, func(a, b resting) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.id, b.id)) })
	for _, r := range list {
		gone := make(map[uint64]uint32)
		if err := l.cfg.Records.Answers(r.id, func(one model.CountedAnswers) { read(one, gone) }); err != nil {
			return err
		}
		l.mu.Lock()
		for key := range gone {
			delete(l.counted, key)
		}
		a := l.sessions[r.id]
		a.Chunks, a.chunk = 0, nil
		l.forget = append(l.forget, r.id)
		l.touch(r.id)
		enough := len(l.counted) <= room
		l.mu.Unlock()
		if enough {
			break
		}
	}
	return nil
}
