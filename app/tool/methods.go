package tool

import "parley/app/method"

// Methods are the service's API methods.
func (h *Host) Methods() []*method.Method {
	return []*method.Method{
		method.New("toolset.list", "Lists the sets of Parley's tools, and whether a workspace's sessions have them.",
			h.List),
		method.New("toolset.set", "Turns a set of Parley's tools on or off, for a workspace or in general. Applies to newly started processes.",
			h.Set),
	}
}
