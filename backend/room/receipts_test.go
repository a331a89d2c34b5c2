package room_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/room"
)

func spans(p *room.Progress) string {
	var all []string
	for _, s := range p.Spans {
		all = append(all, fmt.Sprintf("%d-%d %s", s.From, s.To, s.State))
	}
	return strings.Join(all, ", ")
}

func TestProgress(t *testing.T) {
	p := &room.Progress{Cursor: 9}
	mark := func(from, to uint64, s room.State) []room.Span {
		return p.Mark(room.Span{From: from, To: to, State: s, At: 1})
	}
	mark(1, 9, room.Delivered)
	mark(3, 4, room.Read)
	if got := spans(p); got != "1-2 delivered, 3-4 read, 5-9 delivered" {
		t.Error(got)
	}
	if changed := mark(1, 9, room.Delivered); len(changed) != 0 {
		t.Errorf("it changes again: %v", changed)
	}
	if changed := mark(2, 12, room.Read); len(changed) != 2 || changed[0].From != 2 || changed[0].To != 2 || changed[1].From != 5 || changed[1].To != 12 {
		t.Errorf("changed %v", changed)
	}
	if got := spans(p); got != "1-1 delivered, 2-12 read" {
		t.Error(got)
	}
	p.Advance(room.Span{State: room.Answered, At: 2, Reply: 13}, room.Read)
	if got := p.Of(12); got.State != room.Answered || got.Reply != 13 {
		t.Errorf("%+v", got)
	}
	if back := p.Revert(1, 12); len(back) != 1 || p.Cursor != 0 || spans(p) != "2-12 answered" {
		t.Errorf("back %v, cursor %d, %s", back, p.Cursor, spans(p))
	}
	if got := p.Of(1); got.State != room.Accepted {
		t.Errorf("%+v", got)
	}
	p.Forget(13)
	if spans(p) != "" {
		t.Error(spans(p))
	}
}

// The spans contain the same as a table with a row per message.
func TestProgressIsLikeATable(t *testing.T) {
	rank := map[room.State]int{room.Accepted: 0, room.Delivered: 1, room.Read: 2, room.Failed: 3, room.Answered: 4}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p, table := &room.Progress{}, map[uint64]room.State{}
		for range 40 {
			from := 1 + random.Uint64N(60)
			to := from + random.Uint64N(10)
			switch n := random.IntN(8); {
			case n < 5:
				state := []room.State{room.Delivered, room.Read, room.Answered, room.Failed}[random.IntN(4)]
				p.Mark(room.Span{From: from, To: to, State: state, At: int64(random.IntN(3))})
				for seq := from; seq <= to; seq++ {
					if old := table[seq]; old != room.Failed && rank[state] > rank[old] {
						table[seq] = state
					}
				}
			case n < 7:
				p.Revert(from, to)
				for seq := from; seq <= to; seq++ {
					if table[seq] == room.Delivered {
						delete(table, seq)
					}
				}
			default:
				p.Advance(room.Span{State: room.Answered, At: 9}, room.Read)
				for seq, state := range table {
					if state == room.Read {
						table[seq] = room.Answered
					}
				}
			}
		}
		for seq := uint64(1); seq < 80; seq++ {
			want := table[seq]
			if want == "" {
				want = room.Accepted
			}
			if got := p.Of(seq).State; got != want {
				t.Fatalf("message %d is %s, want %s; %s", seq, got, want, spans(p))
			}
		}
		for i := 1; i < len(p.Spans); i++ {
			if p.Spans[i].From <= p.Spans[i-1].To {
				t.Fatalf("spans overlap: %s", spans(p))
			}
		}
	}
}

func TestProgressIsBounded(t *testing.T) {
	p := &room.Progress{}
	for seq := uint64(1); seq < 20_000; seq++ {
		state := room.Read
		if seq%2 == 0 {
			state = room.Failed
		}
		p.Mark(room.Span{From: seq, To: seq, State: state, At: int64(seq), Reason: fmt.Sprint(seq)})
		if len(p.Spans) > 300 {
			t.Fatalf("%d spans after %d messages", len(p.Spans), seq)
		}
	}
	if got := p.Of(19_999); got.State != room.Read || got.At != 19_999 {
		t.Errorf("the newest is %+v", got)
	}
	if got := p.Of(5); got.State == room.Accepted {
		t.Errorf("the oldest is %+v", got)
	}
}

func TestReceipts(t *testing.T) {
	members := []room.Member{
		{ID: "a", Nick: "a"}, {ID: "b", Nick: "b", Since: 3}, {ID: "c", Nick: "c", Left: 1, Until: 9}, {ID: "c", Nick: "c", Since: 12}, {ID: "d", Nick: "d"},
	}
	progress := map[string]*room.Progress{"b": {Spans: []room.Span{{From: 4, To: 8, State: room.Read, At: 5}}}}
	for seq, want := range map[uint64]string{
		2: "c accepted, d accepted", 5: "b read, c accepted, d accepted", 10: "b accepted, d accepted", 13: "b accepted, c accepted, d accepted", 0: "",
	} {
		var got []string
		for _, r := range room.Receipts(room.Message{Seq: seq, From: room.Speaker{ID: "a"}}, members, func(id string) *room.Progress { return progress[id] }) {
			got = append(got, fmt.Sprintf("%s %s", r.Nick, r.State))
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("message %d: %s", seq, diff)
		}
	}
}

func TestTurnsOfAnHour(t *testing.T) {
	now := time.UnixMilli(10 * time.Hour.Milliseconds())
	p := &room.Progress{Turns: []int64{1, now.Add(-time.Hour).UnixMilli(), now.Add(-time.Minute).UnixMilli()}}
	if n := p.TurnsSince(now); n != 1 || len(p.Turns) != 1 {
		t.Errorf("%d turns: %v", n, p.Turns)
	}
}
