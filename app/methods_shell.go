package app

import (
	"context"

	"parley/app/method"
)

// ShellService runs the commands that a person types.
type ShellService interface {
	Run(context.Context, ShellRunParams) (ShellRef, error)
	Stop(context.Context, ShellRef) (Empty, error)
}

// shellMethods are about a person's own commands.
func shellMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("shell.run", "Runs a command of the person's own in the session's folder, without a question, and returns the message that shows how it goes. The model hears of it with the next prompt.",
			bind(s, s.Shell, ShellService.Run)).InOrder(),
		method.New("shell.stop", "Stops such a command. One that is over stays as it is.",
			bind(s, s.Shell, ShellService.Stop)),
	}
}
