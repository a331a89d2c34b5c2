package event

// HeartbeatsChanged reports that the heartbeats, their file, or a heartbeat's state
// have changed. It is sent at most ten times a second.
type HeartbeatsChanged struct {
	NoHeader
	// Running counts the active runs, Failed the heartbeats that were stopped
	// automatically.
	Running int `json:"running"`
	Failed  int `json:"failed"`
	// NextAt is when the next one is due, 0 for never.
	NextAt int64 `json:"nextAt"`
	Paused bool  `json:"paused"`
}

// EventName implementations.
func (*HeartbeatsChanged) EventName() string { return "heartbeats.changed" }
