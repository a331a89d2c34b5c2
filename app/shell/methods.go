package shell

import "parley/app/method"

// Methods are the service's API methods.
func (s *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("shell.run", "Runs the user's own command in the session's folder without asking, and returns the message that shows its progress. The model sees the output with the next prompt.",
			s.Run).InOrder(),
		method.New("shell.stop", "Stops such a command. Does nothing if it has ended.",
			s.Stop),
	}
}
