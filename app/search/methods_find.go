package search

import "parley/app/method"

// Methods is what a front end may ask of it.
func (f *Finder) Methods() []*method.Method {
	return []*method.Method{
		method.New("session.find", "Searches a conversation from its end, one part at a time.",
			f.Find),
	}
}
