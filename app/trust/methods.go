package trust

import "parley/app/method"

// Methods are the service's API methods.
func (t *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("trust.check", "What the CLI would load or run automatically in a folder. Nothing is loaded.",
			t.Check),
		method.New("trust.list", "Lists the folders whose hooks, servers, and settings the user has decided about.",
			t.List),
		method.New("trust.forget", "Forgets the decision about a folder. Parley asks again before the CLI starts there.",
			t.Forget),
	}
}
