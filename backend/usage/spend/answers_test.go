package spend

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/usage"
)

func TestAnAnswerCountsOnce(t *testing.T) {
	tests := []struct {
		name string
		do   func(t *testing.T, l *Ledger)
		want []usage.Row
	}{
		{"its lines are one answer, with what the last one says", func(t *testing.T, l *Ledger) {
			tell(t, l, "a", answer(1, 0, 1), answer(1, 0, 1))
			tell(t, l, "a", answer(1, 0, 40))
		}, []usage.Row{{SessionID: "a", Answers: 1, Tokens: event.Usage{InputTokens: 10, CacheReadTokens: 60, CacheCreationTokens: 30, OutputTokens: 40}}}},
		{"a fork repeats it", func(t *testing.T, l *Ledger) {
			tell(t, l, "a", answer(1, 0, 5))
			tell(t, l, "b", answer(1, 0, 5), answer(2, 0, 7))
		}, []usage.Row{
			{SessionID: "b", Answers: 1, Tokens: event.Usage{InputTokens: 10, CacheReadTokens: 60, CacheCreationTokens: 30, OutputTokens: 7}},
			{SessionID: "a", Answers: 1, Tokens: event.Usage{InputTokens: 10, CacheReadTokens: 60, CacheCreationTokens: 30, OutputTokens: 5}},
		}},
		{"a provider that reports the input late", func(t *testing.T, l *Ledger) {
			late := answer(1, 0, 9)
			late.Tokens = event.Usage{OutputTokens: 1}
			tell(t, l, "a", late)
			tell(t, l, "a", answer(1, 0, 9))
			tell(t, l, "a", late)
		}, []usage.Row{{SessionID: "a", Answers: 1, Tokens: event.Usage{InputTokens: 10, CacheReadTokens: 60, CacheCreationTokens: 30, OutputTokens: 9}}}},
		{"a subagent's lines say whose they are", func(t *testing.T, l *Ledger) {
			of := answer(1, 0, 5)
			of.Session = "parent"
			tell(t, l, "agent-1", of)
		}, []usage.Row{{SessionID: "parent", Answers: 1, Tokens: event.Usage{InputTokens: 10, CacheReadTokens: 60, CacheCreationTokens: 30, OutputTokens: 5}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := open(t, newMemory())
			tt.do(t, l)
			if diff := cmp.Diff(tt.want, rows(l, usage.By{Session: true})); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// However files repeat each other, however often they are read, and whatever is lost
// in between: the sum is that of all answers, each with the largest reported usage.
func TestCountsLikeANaiveCount(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 7))
		m := newMemory()
		l := open(t, m)
		files := map[string][]usage.Answer{}
		ids := []string{"a", "b", "c", "d", "e"}
		key := uint64(0)
		for range 40 {
			id := ids[random.IntN(len(ids))]
			switch random.IntN(4) {
			case 0: // a fork
				from := files[ids[random.IntN(len(ids))]]
				files[id] = append(files[id], from[:random.IntN(len(from)+1)]...)
			default: // an answer of several lines
				key++
				day, out := -random.IntN(50), 1+random.IntN(500)
				for range random.IntN(3) {
					files[id] = append(files[id], answer(key*0x9e3779b97f4a7c15, day, 1+random.IntN(out)))
				}
				files[id] = append(files[id], answer(key*0x9e3779b97f4a7c15, day, out))
			}
		}
		read := map[string]int{}
		for range 60 {
			id := ids[random.IntN(len(ids))]
			switch random.IntN(8) {
			case 0: // reread from the start
				read[id] = 0
			case 1:
				flush(t, l)
			case 2: // Parley restarts
				flush(t, l)
				l = open(t, m)
			case 3: // the disk is full for a while
				m.full = true
				_ = l.Flush()
				m.full = false
			default:
				end := read[id] + random.IntN(len(files[id])-read[id]+1)
				tell(t, l, id, files[id][read[id]:end]...)
				read[id] = end
			}
		}
		for _, id := range ids {
			tell(t, l, id, files[id]...)
		}
		flush(t, l)
		most := map[uint64]usage.Answer{}
		for _, list := range files {
			for _, a := range list {
				if a.Tokens.OutputTokens >= most[a.Key].Tokens.OutputTokens {
					most[a.Key] = a
				}
			}
		}
		want := usage.Row{}
		for _, a := range most {
			want.Answers++
			want.Tokens = usage.Add(want.Tokens, a.Tokens)
		}
		for when, ledger := range map[string]*Ledger{"now": l, "after a start": open(t, m)} {
			if diff := cmp.Diff([]usage.Row{want}, rows(ledger, usage.By{})); diff != "" {
				t.Fatalf("seed %d, %s (-naive +ledger):\n%s", seed, when, diff)
			}
		}
	}
}

func TestManyAnswersTakeManyRecords(t *testing.T) {
	m := newMemory()
	l := open(t, m)
	for i := range 2*chunkAnswers + 100 {
		tell(t, l, "a", answer(uint64(i+1), 0, 5))
		if i%300 == 0 {
			flush(t, l)
		}
	}
	flush(t, l)
	if n := len(m.answers["a"]); n != 3 || m.usage["a"].Chunks != n {
		t.Errorf("%d records, the account says %d", n, m.usage["a"].Chunks)
	}
	again := open(t, m)
	tell(t, again, "b", answer(7, 0, 5), answer(2*chunkAnswers+50, 0, 5))
	if got := rows(again, usage.By{Session: true}); len(got) != 1 || got[0].Answers != 2*chunkAnswers+100 {
		t.Errorf("after a start: %+v", got)
	}
}

func TestForgetsWhatRestsLongest(t *testing.T) {
	m := newMemory()
	l := open(t, m)
	tell(t, l, "old", answer(1, -20, 5), answer(2, -20, 5))
	tell(t, l, "new", answer(3, 0, 5), answer(4, 0, 5))
	flush(t, l)
	if err := l.makeRoom(3, 2); err != nil {
		t.Fatal(err)
	}
	flush(t, l)
	if len(m.answers["old"]) != 0 || len(m.answers["new"]) != 1 || len(l.counted) != 2 {
		t.Errorf("remembered: %v, %d in memory", m.answers, len(l.counted))
	}
	if got := rows(open(t, m), usage.By{}); got[0].Answers != 4 {
		t.Errorf("what was used is forgotten, too: %+v", got)
	}
}
