package app

import (
	"context"

	"parley/app/method"
)

// FindService looks for a text in one conversation.
type FindService interface {
	Find(context.Context, FindParams) (FindPage, error)
}

// findMethods are those of looking for a text.
func findMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("session.find", "Looks for a text in a conversation, from its end back, a part at a time.",
			bind(s, s.Find, FindService.Find)),
	}
}
