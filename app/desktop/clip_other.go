//go:build desktop && !linux

package desktop

import "context"

// clipboard is nil: the web views there give the page what was pasted and dropped.
func clipboard() func(context.Context) (grab, error) { return nil }

func (w *window) acceptDrag(bool) {}
