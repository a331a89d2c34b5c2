package app

import (
	"context"

	"parley/app/method"
)

// WindowService is what others may ask of this program's window.
type WindowService interface {
	Show(context.Context, WindowShowParams) (Empty, error)
	Hidden(context.Context, WindowHiddenParams) (Empty, error)
	Answer(context.Context, WindowAnswerParams) (Empty, error)
}

func windowMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("window.show", "Brings the window to the front, and to a session.",
			bind(s, s.Window, WindowService.Show)),
		method.New("window.hidden", "Tells the person that Parley goes on without the window that they closed.",
			bind(s, s.Window, WindowService.Hidden)).Enum("how", hiddenTray, hiddenBackground, hiddenStuck),
		method.New("window.answer", "Answers what becomes of the work that goes on when the window is closed (event window.closing).",
			bind(s, s.Window, WindowService.Answer)).Enum("answer", answerShown, leaveBackground, leaveQuit, leaveCancel),
	}
}
