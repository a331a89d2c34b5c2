package files

import "parley/app/method"

// Methods is what a front end may ask of it.
func (e *Editors) Methods() []*method.Method {
	return []*method.Method{
		method.New("editor.open", "Opens a file in the editor from the settings, at a line. The editor keeps running after Parley quits.",
			e.Open),
		method.New("editor.list", "The editors on this computer. The first one is the default.",
			e.List),
	}
}

// Methods is what a front end may ask of it.
func (a *Agents) Methods() []*method.Method {
	return []*method.Method{
		method.New("session.agent", "A page of a subagent's messages, as stored by the CLI, latest page first.",
			a.Agent),
	}
}
