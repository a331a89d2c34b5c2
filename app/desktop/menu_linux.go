//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include <stdlib.h>
#include "menu_linux.h"
*/
import "C"

import (
	"unsafe"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// menuEvent tells the page which entry was chosen, or that the menu bar was opened or closed.
const (
	menuEvent  = "parley.menu"
	menuOpened = ":opened"
	menuClosed = ":closed"
)

// quitEntry is the one entry that the page does not handle.
const quitEntry = "quit"

//export parleyMenuMessage
func parleyMenuMessage(handle C.uintptr_t, message *C.char) {
	m, err := readMenuMessage(C.GoString(message))
	switch {
	case err != nil:
		windowOf(handle).cfg.Log.Warn("Couldn't show a menu of the page", "err", err)
	case m.Context != nil:
		C.parley_context_clear()
		for _, e := range *m.Context {
			withStrings(func(s []*C.char) { C.parley_context_add(s[0], s[1], C.int(bit(e.Enabled))) }, e.ID, e.Label)
		}
	case m.Look != nil:
		withStrings(func(s []*C.char) { C.parley_menu_style(s[0]) }, m.Look.css())
	case m.Bar != nil:
		windowOf(handle).showBar(*m.Bar)
	}
}

//export parleyMenuChosen
func parleyMenuChosen(handle C.uintptr_t, id *C.char) {
	w := windowOf(handle)
	if chosen := C.GoString(id); chosen != quitEntry {
		runtime.EventsEmit(w.native, menuEvent, chosen)
		return
	}
	w.requestClose(closeRequest{quit: true})
}

//export parleyMenuOpened
func parleyMenuOpened(handle C.uintptr_t, open C.int) {
	what := menuClosed
	if open != 0 {
		what = menuOpened
	}
	runtime.EventsEmit(windowOf(handle).native, menuEvent, what)
}

// showBar rebuilds the menu bar only if it must, because it may be open.
func (w *window) showBar(to menuBar) {
	C.parley_bar_shown(C.int(bit(to.Shown)))
	if !sameMenus(w.bar.Menus, to.Menus) {
		C.parley_bar_begin()
		for _, menu := range to.Menus {
			addMenu(menu)
		}
		C.parley_bar_end()
	}
	w.bar = to
	for _, menu := range to.Menus {
		setStates(menu.Entries)
	}
}

func addMenu(menu menuEntry) {
	withStrings(func(s []*C.char) { C.parley_bar_down(s[0]) }, menu.Label)
	for _, e := range menu.Entries {
		switch {
		case e.Entries != nil:
			addMenu(e)
		case e.ID == "":
			C.parley_bar_line()
		default:
			kind := map[string]C.int{"check": C.PARLEY_CHECK, "radio": C.PARLEY_RADIO}[e.Kind]
			withStrings(func(s []*C.char) { C.parley_bar_item(s[0], s[1], s[2], s[3], kind) }, e.ID, e.Label, e.Shown, accelerator(e.Keys))
		}
	}
	C.parley_bar_up()
}

func setStates(entries []menuEntry) {
	for _, e := range entries {
		setStates(e.Entries)
		if e.ID != "" {
			withStrings(func(s []*C.char) { C.parley_bar_state(s[0], C.int(bit(e.Enabled)), C.int(bit(e.Checked))) }, e.ID)
		}
	}
}

// withStrings passes strings to C for the duration of use.
func withStrings(use func(s []*C.char), strings ...string) {
	lent := make([]*C.char, len(strings))
	for i, s := range strings {
		lent[i] = C.CString(s)
	}
	use(lent)
	for _, s := range lent {
		C.free(unsafe.Pointer(s))
	}
}
