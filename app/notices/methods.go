package notices

import "parley/app/method"

// Methods are the service's API methods.
func (n *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("window.show", "Brings the window to the front, and opens a session.",
			n.showWindow),
		method.New("window.hidden", "Tells the user that Parley keeps running without its window.",
			n.windowHidden).Enum("how", hiddenTray, hiddenBackground, hiddenStuck, hiddenBroken),
		method.New("window.answer", "Answers what to do with running work when the window is closed (event window.closing).",
			n.answerWindow).Enum("answer", AnswerShown, LeaveBackground, LeaveQuit, LeaveCancel),
		method.New("window.leaveSafeMode", "Leaves safe mode after repeated crashes of the page.",
			n.leaveSafeMode),
		method.New("notification.setPresence", "Reports what a page is showing, so that the user isn't notified about it.",
			n.presence).Was("notice.presence").InOrder(),
		method.New("notification.test", "Shows a test notification on the desktop (in the window only).",
			n.try).Was("notice.try"),
	}
}
