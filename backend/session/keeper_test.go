package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"parley/backend/event"
)

// fakeKeeper is the disk: its contents survive Parley.
type fakeKeeper struct {
	// cut are the messages of interrupted turns.
	cut []event.Message
	// said are the messages of finished turns.
	said [][]event.Message
	t    *testing.T

	mu       sync.Mutex
	saved    map[string]Snapshot
	prompts  map[string]map[string]AcceptedPrompt // by session, by prompt
	keeps    int
	released map[string]int
	did      map[string]string           // by turn or tool use
	ended    map[string]event.TurnResult // by message
	refuse   error
	has      func(p AcceptedPrompt) bool // set before sessions exist
}

func newFakeKeeper(t *testing.T) *fakeKeeper {
	return &fakeKeeper{
		t: t, saved: make(map[string]Snapshot), prompts: make(map[string]map[string]AcceptedPrompt), released: make(map[string]int),
		did: make(map[string]string), ended: make(map[string]event.TurnResult),
	}
}

func (k *fakeKeeper) Save(s Snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.saved[s.ID] = s
}

func (k *fakeKeeper) Keep(session string, p AcceptedPrompt) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keeps++
	if k.refuse != nil {
		return k.refuse
	}
	if k.prompts[session] == nil {
		k.prompts[session] = make(map[string]AcceptedPrompt)
	}
	k.prompts[session][p.ID] = p
	return nil
}

// Has: by default the conversation has every prompt its CLI started.
func (k *fakeKeeper) Has(_ context.Context, _ string, prompts []AcceptedPrompt) []bool {
	has := make([]bool, len(prompts))
	for i, p := range prompts {
		has[i] = k.has == nil || k.has(p)
	}
	return has
}

func (k *fakeKeeper) RecordAction(_, id, by string, _ bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.did[id] = by
}

func (k *fakeKeeper) Said(_, _, _ string, turn []event.Message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.said = append(k.said, turn)
}

func (k *fakeKeeper) Cut(_ context.Context, _, _, _ string, turn []event.Message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cut = append(k.cut, turn...)
}

func (k *fakeKeeper) Ended(_, message string, r event.TurnResult) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended[message] = r
}

func (k *fakeKeeper) Release(session, prompt string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.prompts[session][prompt]; !known {
		k.t.Errorf("prompt %s is released but was not kept", prompt)
	}
	delete(k.prompts[session], prompt)
	k.released[prompt]++
}

func (k *fakeKeeper) setRefuse(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = err
}

// of returns what is stored for a session, with prompts in order.
func (k *fakeKeeper) of(session string) (Snapshot, []AcceptedPrompt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := slices.SortedFunc(maps.Values(k.prompts[session]), func(a, b AcceptedPrompt) int { return cmp.Compare(a.Order, b.Order) })
	return k.saved[session], list
}

// waiting lists the ids of the stored prompts.
func (k *fakeKeeper) waiting(session string) []string {
	_, list := k.of(session)
	ids := []string{}
	for _, p := range list {
		ids = append(ids, p.ID)
	}
	return ids
}

// saved returns what is stored for the rig's session.
func (r *rig) saved() Snapshot {
	s, _ := r.kept.of(r.id)
	return s
}
