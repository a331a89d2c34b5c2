package contain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// handed is the groups' handover state, for the next program in the same process.
type handed struct {
	// Life is the descriptor that the guard watches, Guard its process.
	Life   int           `json:"life"`
	Guard  int           `json:"guard"`
	Number int           `json:"number"`
	Groups []handedGroup `json:"groups,omitempty"`
}

type handedGroup struct {
	Session string `json:"session"`
	Folder  string `json:"folder"`
}

// HandOver returns what the program that this process is about to become needs to continue
// with the groups. It must inherit the file under its number: when that is closed, the guard
// ends everything. Both are nil without groups. They then belong to the other program,
// unless CancelHandOver cancels that.
func (g *Groups) HandOver() (state json.RawMessage, life *os.File, err error) {
	if g == nil {
		return nil, nil, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.guard.stands() {
		return nil, nil, nil
	}
	h := handed{Life: int(g.guard.life.Fd()), Guard: g.guard.process.Pid, Number: g.number} //nolint:gosec // descriptors are small
	for one := range g.groups {
		h.Groups = append(h.Groups, handedGroup{one.session, one.dir})
	}
	g.handed = true
	state, err = json.Marshal(h)
	return state, g.guard.life, err
}

// CancelHandOver cancels a HandOver.
func (g *Groups) CancelHandOver() {
	if g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.handed = false
	}
}

// TakeOver continues with the groups of the previous program.
func (g *Groups) TakeOver(state json.RawMessage) error {
	if g == nil || len(state) == 0 {
		return nil
	}
	var h handed
	if err := json.Unmarshal(state, &h); err != nil {
		return fmt.Errorf("read what was handed over of the control groups: %w", err)
	}
	process, err := os.FindProcess(h.Guard)
	if err != nil {
		return err
	}
	syscall.CloseOnExec(h.Life)
	one := &guard{process: process, life: os.NewFile(uintptr(h.Life), "guard"), gone: make(chan struct{})} //nolint:gosec // an invalid one is refused here
	if one.life == nil {
		return os.ErrInvalid
	}
	go func() {
		defer close(one.gone)
		_, _ = process.Wait() // it returns nothing useful
	}()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.guard, g.number = one, max(g.number, h.Number)
	for _, group := range h.Groups {
		if filepath.Dir(group.Folder) == g.dir {
			g.groups[&Group{groups: g, session: group.Session, dir: group.Folder}] = true
		}
	}
	return nil
}

// Held returns the group with a folder, nil for none.
func (g *Groups) Held(folder string) *Group {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for one := range g.groups {
		if one.dir == folder {
			return one
		}
	}
	return nil
}
