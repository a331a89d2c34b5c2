package library

import (
	"time"

	"parley/backend/store/model"
)

// atOnce is how soon an orderly exit is too early to conclude that a page hangs: nobody
// has waited longer than that for it to draw.
const atOnce = 10 * time.Second

// SetTrouble records that a session may crash or hang the page that shows it, or
// that it didn't.
func (l *Library) SetTrouble(id string, trouble model.Trouble) error {
	l.mu.Lock()
	delete(l.drawing, id)
	r := l.rows[id]
	if trouble == model.TroubleHung && r != nil && r.listed {
		l.drawing[id] = l.cfg.Now()
	}
	same := r != nil && r.listed && (r.rec == nil && trouble == "" || r.rec != nil && r.rec.Trouble == trouble)
	l.mu.Unlock()
	if same {
		return nil
	}
	return l.change(id, func(r *model.Session) error {
		r.Trouble = trouble
		return nil
	})
}

// PageDied is called when a page vanished without notice: the marks of what it was
// drawing stay.
func (l *Library) PageDied() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.drawing)
}

// settleDrawing clears the marks of pages that were still drawing when Parley exited in
// order: they had no time to report success.
func (l *Library) settleDrawing() {
	l.mu.RLock()
	var settled []string
	for id, at := range l.drawing {
		if r := l.rows[id]; r != nil && r.rec != nil && r.rec.Trouble == model.TroubleHung && l.cfg.Now().Sub(at) < atOnce {
			settled = append(settled, id)
		}
	}
	l.mu.RUnlock()
	for _, id := range settled {
		if err := l.SetTrouble(id, ""); err != nil {
			// It is then opened in safe mode, which is the safe choice.
			l.cfg.Logger.Warn("Couldn't save whether the page hung", "session", id, "err", err)
		}
	}
}
