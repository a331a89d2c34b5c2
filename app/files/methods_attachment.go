package files

import "parley/app/method"

// Methods is what a front end may ask of it.
func (s *Pictures) Methods() []*method.Method {
	return []*method.Method{
		method.New("session.attachment", "An image attached to a prompt, as stored by the CLI. Other files aren't available.",
			s.Picture),
	}
}
