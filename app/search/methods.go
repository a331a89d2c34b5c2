package search

import "parley/app/method"

// Methods are the service's API methods.
func (s *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("search.query", "Searches all conversations: titles, prompts, answers, and tool input and output.",
			s.Query),
		method.New("session.find", "Searches a conversation from its end, one part at a time.",
			s.find),
	}
}
