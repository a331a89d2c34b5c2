package notices

import "parley/app/method"

// Methods is what a front end may ask of it.
func (w *Window) Methods() []*method.Method {
	return []*method.Method{
		method.New("window.show", "Brings the window to the front, and opens a session.",
			w.Show),
		method.New("window.hidden", "Tells the person that Parley keeps running without its window.",
			w.Hidden).Enum("how", hiddenTray, hiddenBackground, hiddenStuck, hiddenBroken),
		method.New("window.answer", "Answers what to do with running work when the window is closed (event window.closing).",
			w.Answer).Enum("answer", AnswerShown, LeaveBackground, LeaveQuit, LeaveCancel),
		method.New("window.leaveSafeMode", "Leaves safe mode after repeated crashes of the page.",
			w.LeaveSafeMode),
	}
}
