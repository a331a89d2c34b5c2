package files

import "parley/app/method"

func (e *editors) methods() []*method.Method {
	return []*method.Method{
		method.New("editor.open", "Opens a file in the editor from the settings, at a line. The editor keeps running after Parley quits.",
			e.Open),
		method.New("editor.list", "The editors on this computer. The first one is the default.",
			e.List),
	}
}
