package files

import "parley/app/method"

func (m *mentions) methods() []*method.Method {
	return []*method.Method{
		method.New("file.find", "Finds files and folders in a session's folder by a few letters. In a git checkout, only those that git tracks or would add.",
			m.Find),
	}
}
