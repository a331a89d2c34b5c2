//go:build desktop && !linux

package desktop

import "github.com/wailsapp/wails/v2/pkg/options/linux"

// attachView has nothing to add where Wails itself follows the web view.
func (w *window) attachView() (detach func()) { return func() {} }

// markUrgent does nothing: Wails offers no way to ask for attention there.
func (w *window) markUrgent(bool) {}

func prepare() error { return nil }

func gpuPolicy() linux.WebviewGpuPolicy { return linux.WebviewGpuPolicyNever }
