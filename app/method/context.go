package method

import (
	"context"

	"parley/backend/event"
)

type surfaceKey struct{}

// WithSurface says from where the calls under ctx come: "window", "gateway"…
func WithSurface(ctx context.Context, surface string) context.Context {
	return context.WithValue(ctx, surfaceKey{}, surface)
}

// Surface returns what [WithSurface] said, or "".
func Surface(ctx context.Context) string {
	s, _ := ctx.Value(surfaceKey{}).(string)
	return s
}

// Device is what the calls of a paired device come from.
type Device struct {
	// Name is what people call it.
	Name string
	// Once says that its answers count for what was asked and for nothing later.
	Once bool
}

type deviceKey struct{}

// WithDevice says that the calls under ctx come from a paired device, which is their surface
// too.
func WithDevice(ctx context.Context, d Device) context.Context {
	return context.WithValue(WithSurface(ctx, event.ByDevice(d.Name)), deviceKey{}, d)
}

// DeviceOf returns what [WithDevice] said, and whether it did.
func DeviceOf(ctx context.Context) (Device, bool) {
	d, ok := ctx.Value(deviceKey{}).(Device)
	return d, ok
}

type connectionKey struct{}

// WithConnection tells the clients of one surface from each other.
func WithConnection(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, connectionKey{}, id)
}

// Connection returns what [WithConnection] said, or "".
func Connection(ctx context.Context) string {
	s, _ := ctx.Value(connectionKey{}).(string)
	return s
}

// EventFilter chooses the events that one connection gets.
type EventFilter interface {
	// Subscribe adds patterns and Unsubscribe takes them away again; both return
	// the patterns then in force. A malformed pattern is a fault.
	Subscribe(patterns []string) ([]string, error)
	Unsubscribe(patterns []string) ([]string, error)
}

type filterKey struct{}

// WithEventFilter gives the calls under ctx the filter of their connection.
func WithEventFilter(ctx context.Context, f EventFilter) context.Context {
	return context.WithValue(ctx, filterKey{}, f)
}

// EventFilterOf returns the connection's filter, or nil for a surface that has
// none because it gets every event anyway.
func EventFilterOf(ctx context.Context) EventFilter {
	f, _ := ctx.Value(filterKey{}).(EventFilter)
	return f
}
