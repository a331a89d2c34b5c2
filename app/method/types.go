package method

import "encoding/json"

// MethodList describes every method.
type MethodList struct {
	Methods []MethodInfo `json:"methods"`
}

// MethodInfo describes one method.
type MethodInfo struct {
	Name   string          `json:"name"`
	Doc    string          `json:"doc"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	// Example has parameters that it accepts.
	Example json.RawMessage `json:"example"`
}

// SubscribeParams names events: "*", "session.*" or exact names.
type SubscribeParams struct {
	Events []string `json:"events"`
}

// SubscribeResult has the connection's resulting patterns.
type SubscribeResult struct {
	Events []string `json:"events"`
}

// Welcome describes a connection.
type Welcome struct {
	// ConnectionID is "" if the surface has only one connection.
	ConnectionID string `json:"connectionId"`
	// Surface is "window" or "gateway", or names a paired device: "@Phone (device)".
	Surface string `json:"surface"`
}
