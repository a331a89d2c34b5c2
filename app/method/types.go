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
	// Example is parameters that it takes.
	Example json.RawMessage `json:"example"`
}

// SubscribeParams names events: "*", "session.*" or exact names.
type SubscribeParams struct {
	Events []string `json:"events"`
}

// SubscribeResult holds the patterns now in force on this connection.
type SubscribeResult struct {
	Events []string `json:"events"`
}

// Welcome is what a connection may want to know of itself.
type Welcome struct {
	// ConnectionID is "" where a surface has one connection only.
	ConnectionID string `json:"connectionId"`
	// Surface is "window" or "gateway", or names a paired device: "@Phone (device)".
	Surface string `json:"surface"`
}
