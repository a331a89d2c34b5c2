package method

import (
	"context"

	"parley/backend/event"
)

type surfaceKey struct{}

// WithSurface sets the surface of the calls under ctx: "window", "gateway"…
func WithSurface(ctx context.Context, surface string) context.Context {
	return context.WithValue(ctx, surfaceKey{}, surface)
}

// Surface returns the value of [WithSurface], or "".
func Surface(ctx context.Context) string {
	s, _ := ctx.Value(surfaceKey{}).(string)
	return s
}

// Device is the paired device of a call.
type Device struct {
	// Name is its display name.
	Name string
	// Once reports that its answers only apply to the current request.
	Once bool
}

type deviceKey struct{}

// WithDevice sets the paired device of the calls under ctx, which is their surface too.
func WithDevice(ctx context.Context, d Device) context.Context {
	return context.WithValue(WithSurface(ctx, event.ByDevice(d.Name)), deviceKey{}, d)
}

// DeviceOf returns the value of [WithDevice], and whether it is set.
func DeviceOf(ctx context.Context) (Device, bool) {
	d, ok := ctx.Value(deviceKey{}).(Device)
	return d, ok
}

type connectionKey struct{}

// WithConnection distinguishes the clients of one surface.
func WithConnection(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, connectionKey{}, id)
}

// Connection returns the value of [WithConnection], or "".
func Connection(ctx context.Context) string {
	s, _ := ctx.Value(connectionKey{}).(string)
	return s
}

// EventFilter selects the events of one connection.
type EventFilter interface {
	// Subscribe adds patterns and Unsubscribe removes them; both return the resulting patterns. A
	// malformed pattern is a fault.
	Subscribe(patterns []string) ([]string, error)
	Unsubscribe(patterns []string) ([]string, error)
}

type filterKey struct{}

// WithEventFilter sets the connection's event filter for the calls under ctx.
func WithEventFilter(ctx context.Context, f EventFilter) context.Context {
	return context.WithValue(ctx, filterKey{}, f)
}

// EventFilterOf returns the connection's filter, or nil for a surface without one, which gets every
// event anyway.
func EventFilterOf(ctx context.Context) EventFilter {
	f, _ := ctx.Value(filterKey{}).(EventFilter)
	return f
}
