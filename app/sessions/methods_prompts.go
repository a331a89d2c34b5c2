package sessions

import "parley/app/method"

// Methods is what a front end may ask of it.
func (s *Prompts) Methods() []*method.Method {
	return []*method.Method{
		method.New("prompt.history", "Earlier prompts: those of the session, newest first, then those of its workspace.",
			s.History),
	}
}
