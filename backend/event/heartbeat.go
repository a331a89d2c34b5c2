package event

// HeartbeatsChanged says that the heartbeats, their file, or what became of one have
// changed. It is sent at most ten times a second.
type HeartbeatsChanged struct {
	Whole
	// Running counts the runs under way, Failed the heartbeats that the fuse stopped.
	Running int `json:"running"`
	Failed  int `json:"failed"`
	// NextAt is when the next one is due, 0 for never.
	NextAt int64 `json:"nextAt"`
	Paused bool  `json:"paused"`
}

// EventName implementations.
func (*HeartbeatsChanged) EventName() string { return "heartbeats.changed" }
