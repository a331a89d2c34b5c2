//go:build desktop && !linux

package desktop

import "context"

// clipboard is nil: the web views there deliver pasted and dropped content to the page.
func clipboard() func(context.Context) (grab, error) { return nil }

func (w *window) acceptDrag(bool) {}
