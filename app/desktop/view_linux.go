//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include "view_linux.h"
*/
import "C"

import (
	"os"
	"path/filepath"
	"runtime/cgo"

	"github.com/wailsapp/wails/v2/pkg/options/linux"

	"parley/backend/fault"
)

// attachView follows what Wails leaves to the web view: where the page navigates,
// and the death of the process that shows it. It also puts the window where it
// was. It returns what releases the window again.
func (w *window) attachView() (detach func()) {
	h := cgo.NewHandle(w)
	C.parley_attach_view(C.uintptr_t(h), C.int(bit(w.start.Positioned && !w.start.Maximised)), C.int(w.start.X), C.int(w.start.Y))
	return h.Delete
}

// markUrgent asks the desktop to point at the window, or not to.
func (w *window) markUrgent(on bool) { C.parley_mark_urgent(C.int(bit(on))) }

// renewPage loads the page anew, in a process of its own: the one before does not answer.
func (w *window) renewPage() { C.parley_renew_page() }

// place moves the window to where it was.
func (w *window) place(at place) {
	if at.Positioned && !at.Maximised {
		C.parley_place(C.int(at.X), C.int(at.Y))
	}
}

func windowOf(handle C.uintptr_t) *window { return cgo.Handle(handle).Value().(*window) }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

//export parleyPageDied
func parleyPageDied(handle C.uintptr_t, reason *C.char) C.int {
	w := windowOf(handle)
	reload := w.onPageDied(C.GoString(reason))
	if !reload {
		w.requestClose(closeRequest{broken: true})
	}
	return C.int(bit(reload))
}

//export parleyPageStuck
func parleyPageStuck(handle C.uintptr_t, responsive C.int) {
	log := windowOf(handle).cfg.Log
	if responsive != 0 {
		log.Info("The page's process answers again")
		return
	}
	log.Warn("The page's process does not answer")
}

//export parleyLinkOpened
func parleyLinkOpened(handle C.uintptr_t, link *C.char) {
	w := windowOf(handle)
	if err := w.open(C.GoString(link)); err != nil {
		w.cfg.Log.Warn("A link was not opened", "error", fault.MessageOf(err))
	}
}

// prepare says in words what would otherwise be a panic inside GTK, and sets what
// must be set before it starts.
func prepare() error {
	if C.parley_display_available() == 0 {
		return fault.New(fault.Unavailable, "There is no display to show a window on (DISPLAY and WAYLAND_DISPLAY lead nowhere). Use a browser instead: parley serve")
	}
	// The DMA-BUF renderer of WebKitGTK shows a blank window on NVIDIA's driver.
	const renderer = "WEBKIT_DISABLE_DMABUF_RENDERER"
	if _, chosen := os.LookupEnv(renderer); !chosen {
		if _, err := os.Stat("/sys/module/nvidia"); err == nil {
			return os.Setenv(renderer, "1")
		}
	}
	return nil
}

// gpuPolicy leaves it to the page to use the GPU where there is one. Without one
// that would mean to emulate it, at five times the cost of plain drawing.
// PARLEY_GPU says "on" or "off" instead.
func gpuPolicy() linux.WebviewGpuPolicy {
	switch os.Getenv("PARLEY_GPU") {
	case "on":
		return onDemand
	case "off":
		return linux.WebviewGpuPolicyNever
	}
	nodes, err := filepath.Glob("/dev/dri/renderD*")
	if err != nil || len(nodes) == 0 || os.Getenv("CI") != "" {
		return linux.WebviewGpuPolicyNever
	}
	return onDemand
}

// onDemand is what Wails' C code reads as "on demand", whatever the constant is
// called.
const onDemand = linux.WebviewGpuPolicyAlways
