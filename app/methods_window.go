package app

import (
	"context"

	"parley/app/method"
)

// WindowService is what others may ask of this program's window.
type WindowService interface {
	Show(context.Context, WindowShowParams) (Empty, error)
	Hidden(context.Context, Empty) (Empty, error)
}

func windowMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("window.show", "Brings the window to the front, and to a session.",
			bind(s, s.Window, WindowService.Show)),
		method.New("window.hidden", "Tells the person that Parley goes on without the window that they closed.",
			bind(s, s.Window, WindowService.Hidden)),
	}
}
