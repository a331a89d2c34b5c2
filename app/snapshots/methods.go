package snapshots

import "parley/app/method"

// Methods are the service's API methods.
func (s *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("snapshot.list", "The snapshots of Parley's data, the newest first.",
			s.List),
		method.New("snapshot.take", "Takes a snapshot of Parley's data, if anything has changed since the latest one.",
			s.Take),
		method.New("snapshot.restore", "Restores a snapshot of Parley's data at the next start; restarts immediately where possible. The current data is moved aside. Nothing that was allowed applies until the user reviews it.",
			s.Restore),
	}
}
