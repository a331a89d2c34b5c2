//go:build desktop && !linux

package desktop

import (
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// attachView has nothing to add where Wails itself follows the web view.
func (w *window) attachView() (detach func()) { return func() {} }

// markUrgent does nothing: Wails offers no way to ask for attention there.
func (w *window) markUrgent(bool) {}

// renewPage loads the page anew. What its process does is Wails' business there.
func (w *window) renewPage() { runtime.WindowReloadApp(w.native) }

// place has nothing to do: the systems there show a window where it was hidden.
func (w *window) place(place) {}

func prepare() error { return nil }

func gpuPolicy() linux.WebviewGpuPolicy { return linux.WebviewGpuPolicyNever }
