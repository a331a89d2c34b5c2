//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include "clip_linux.h"
*/
import "C"

import (
	"context"
	"runtime/cgo"
	"unsafe"

	"parley/backend/fault"
)

// clipboard returns the function that reads the clipboard.
func clipboard() func(context.Context) (grab, error) { return readClipboard }

// readClipboard asks the main loop for the clipboard's content. If ctx ends first, the answer is
// dropped.
func readClipboard(ctx context.Context) (grab, error) {
	answer := make(chan grab, 1)
	C.parley_read_clipboard(C.uintptr_t(cgo.NewHandle(answer)))
	select {
	case g := <-answer:
		return g, nil
	case <-ctx.Done():
		return grab{}, fault.Wrap(ctx.Err(), fault.Unavailable, "The program that you copied from does not respond. Copy again, then paste.")
	}
}

// acceptDrag reports whether the current drag may be dropped here.
func (w *window) acceptDrag(may bool) { C.parley_accept_drag(C.int(bit(may))) }

// grabOf copies data received from C.
func grabOf(kind C.char, mediaType *C.char, data unsafe.Pointer, length C.int) grab {
	g := grab{kind: byte(kind)}
	if kind != 0 {
		g.mediaType, g.data = C.GoString(mediaType), C.GoBytes(data, length)
	}
	return g
}

//export parleyGrabbed
func parleyGrabbed(request C.uintptr_t, kind C.char, mediaType *C.char, data unsafe.Pointer, length C.int) {
	h := cgo.Handle(request)
	h.Value().(chan grab) <- grabOf(kind, mediaType, data, length)
	h.Delete()
}

//export parleyPasteKey
func parleyPasteKey(handle C.uintptr_t) { windowOf(handle).host.handing.allowPaste() }

//export parleyDragOver
func parleyDragOver(handle C.uintptr_t, x, y C.double) {
	windowOf(handle).tellDrag(dragged{Kind: "over", X: float64(x), Y: float64(y)})
}

//export parleyDragLeft
func parleyDragLeft(handle C.uintptr_t) { windowOf(handle).tellDrag(dragged{Kind: "left"}) }

//export parleyDropped
func parleyDropped(handle C.uintptr_t, x, y C.double, kind C.char, mediaType *C.char, data unsafe.Pointer, length C.int) {
	w := windowOf(handle)
	number := w.host.handing.drop(grabOf(kind, mediaType, data, length))
	w.tellDrag(dragged{Kind: "drop", X: float64(x), Y: float64(y), Number: number})
}
