package processes

import "parley/app/method"

// Methods are the service's API methods.
func (p *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("process.list", "The processes that Parley started, and Parley itself.",
			p.List),
		method.New("process.end", "Ends a process that Parley started, and its child processes.",
			p.End),
	}
}
