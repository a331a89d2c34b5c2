//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include <string.h>
#include "view_linux.h"
*/
import "C"

import (
	"os"
	"path/filepath"
	"runtime/cgo"
	"unsafe"

	"github.com/wailsapp/wails/v2/pkg/options/linux"

	"parley/backend/fault"
)

// attachView handles what Wails leaves to the web view: navigation, and crashes of the page's
// process. It also restores the window's position, and tracks it. It returns a function that
// releases the window.
func (w *window) attachView() (detach func()) {
	h := cgo.NewHandle(w)
	C.parley_attach_view(C.uintptr_t(h), minWidth, minHeight)
	return h.Delete
}

// markUrgent sets or clears the window's urgency hint.
func (w *window) markUrgent(on bool) { C.parley_mark_urgent(C.int(bit(on))) }

// renewPage loads the page in a new process, because the old one does not respond.
func (w *window) renewPage() { C.parley_renew_page() }

// endDialogs closes every dialog from now on.
func (w *window) endDialogs() { C.parley_end_dialogs() }

func windowOf(handle C.uintptr_t) *window { return cgo.Handle(handle).Value().(*window) }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

//export parleyPageDied
func parleyPageDied(handle C.uintptr_t, reason *C.char) C.int {
	return C.int(bit(windowOf(handle).onPageDied(C.GoString(reason))))
}

//export parleyPageLoads
func parleyPageLoads(handle C.uintptr_t) { windowOf(handle).pass.expect() }

//export parleyPageStuck
func parleyPageStuck(handle C.uintptr_t, responsive C.int) {
	log := windowOf(handle).cfg.Log
	if responsive != 0 {
		log.Info("Web process is responding again")
		return
	}
	log.Warn("Web process isn't responding")
}

//export parleyMayPass
func parleyMayPass(message *C.char) C.int {
	return C.int(bit(mayPass(unsafe.Slice((*byte)(unsafe.Pointer(message)), C.strlen(message)))))
}

//export parleyPageCovered
func parleyPageCovered(handle C.uintptr_t, covered C.int) {
	windowOf(handle).sink.seen.setCovered(covered != 0)
}

//export parleyLinkOpened
func parleyLinkOpened(handle C.uintptr_t, link *C.char) {
	w := windowOf(handle)
	if err := w.open(C.GoString(link)); err != nil {
		w.cfg.Log.Warn("Couldn't open a link", "err", fault.MessageOf(err))
	}
}

// prepare reports in words what would otherwise be a panic inside GTK, and sets what must be set
// before GTK starts.
func prepare() error {
	if C.parley_display_available() == 0 {
		return fault.New(fault.Unavailable, "There is no display to show a window on. Check DISPLAY and WAYLAND_DISPLAY, or use a browser instead: parley serve")
	}
	return nil
}

// choices sets what the libraries read from the environment when the window is created.
func choices() error {
	// The DMA-BUF renderer of WebKitGTK shows a blank window on NVIDIA's driver.
	const renderer = "WEBKIT_DISABLE_DMABUF_RENDERER"
	if _, chosen := os.LookupEnv(renderer); !chosen {
		if _, err := os.Stat("/sys/module/nvidia"); err == nil {
			return os.Setenv(renderer, "1")
		}
	}
	return nil
}

// gpuPolicy lets the page use the GPU if there is one. Emulating one would cost five times as much
// as plain rendering. PARLEY_GPU overrides it with "on" or "off".
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

// onDemand is what Wails' C code treats as "on demand", whatever the constant is called.
const onDemand = linux.WebviewGpuPolicyAlways
