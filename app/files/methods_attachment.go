package files

import "parley/app/method"

func (s *pictures) methods() []*method.Method {
	return []*method.Method{
		method.New("session.attachment", "An image attached to a prompt, as stored by the CLI. Other files aren't available.",
			s.Picture),
	}
}
