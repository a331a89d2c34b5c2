//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0
#include "place_linux.h"
*/
import "C"

import "runtime/cgo"

// maxMonitors is more than anyone has.
const maxMonitors = 32

// monitors returns the monitors' work areas, and the scale. For the main loop's thread, or before
// it starts.
func monitors() ([]area, int) {
	var found [maxMonitors]C.struct_parley_area
	n := int(C.parley_monitors(&found[0], maxMonitors))
	areas := make([]area, n)
	for i, a := range found[:n] {
		areas[i] = area{int(a.x), int(a.y), int(a.width), int(a.height)}
	}
	return areas, int(C.parley_scale())
}

func (p place) native() C.struct_parley_place {
	return C.struct_parley_place{
		width: C.int(p.Width), height: C.int(p.Height), positioned: C.int(bit(p.Positioned)), x: C.int(p.X), y: C.int(p.Y),
		maximised: C.int(bit(p.Maximised)), scale: C.int(p.Scale),
	}
}

//export parleyPlaced
func parleyPlaced(handle C.uintptr_t, at C.struct_parley_place) {
	w := windowOf(handle)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at.Maximised = at.maximised != 0
	if at.free == 0 {
		return
	}
	w.at.Width, w.at.Height, w.at.Scale = int(at.width), int(at.height), int(at.scale)
	if at.positioned != 0 {
		w.at.X, w.at.Y, w.at.Positioned = int(at.x), int(at.y), true
	}
}

//export parleyFit
func parleyFit(handle C.uintptr_t) C.struct_parley_place {
	w := windowOf(handle)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.on(monitors())
	return w.at.native()
}

//export parleyLooked
func parleyLooked(done C.uintptr_t) { close(cgo.Handle(done).Value().(chan struct{})) }

// look reads the window's position. It waits for the main loop.
func (w *window) look() {
	done := make(chan struct{})
	h := cgo.NewHandle(done)
	C.parley_look(C.uintptr_t(h))
	select {
	case <-done:
		h.Delete()
	case <-w.ended: // the main loop is over
	}
}

// conceal hides the window after saving its position.
func (w *window) conceal() { C.parley_hide() }

// reveal raises the window, deiconified and, if it was hidden, at its old position.
func (w *window) reveal() { C.parley_show() }
