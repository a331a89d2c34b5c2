//go:build desktop && !linux

package desktop

import "github.com/wailsapp/wails/v2/pkg/options/linux"

// attachView has nothing to add where Wails itself follows the web view.
func (w *window) attachView() (detach func()) { return func() {} }

func prepare() error { return nil }

func gpuPolicy() linux.WebviewGpuPolicy { return linux.WebviewGpuPolicyNever }
