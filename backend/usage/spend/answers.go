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
	// answerBytes is how long an answer is in a record, chunkAnswers how many one has.
	answerBytes  = 8 + 4
	chunkAnswers = 1024
	// withInput marks an answer whose input is counted: some providers report it late.
	withInput = 1 << 31
)

// Told takes answers that stand in a conversation's file. sessionID is whose they are when
// they do not say it themselves. When it fails nothing was taken.
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

// take counts what is new of an answer. The caller holds mu.
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
			// What another conversation has too was copied from there, or the other way.
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

// chunks are the records that hold the fresh answers, the newest last, and how many
// records there are with them. The one before continues when there is room.
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

// recall loads what is remembered of answers, once.
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

// read adds a record's answers. The last word on an answer is the one with the most.
func read(r model.CountedAnswers, to map[uint64]uint32) {
	for rest := r.Counted; len(rest) >= answerBytes; rest = rest[answerBytes:] {
		key, value := binary.BigEndian.Uint64(rest), binary.BigEndian.Uint32(rest[8:])
		old := to[key]
		to[key] = max(old&^withInput, value&^withInput) | (old|value)&withInput
	}
}

// makeRoom forgets the answers of conversations that rest longest when there are more
// than most, until there are no more than room.
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
