package sessions

import (
	"context"
	"strings"

	"parley/backend/fault"
	"parley/backend/session/library"
)

const (
	promptPage, maxPromptPage = 50, 200
	maxPromptWords            = 200
)

// promptHistory is prompt.history.
func (s *Service) promptHistory(ctx context.Context, p PromptHistoryParams) (PromptHistory, error) {
	switch {
	case (p.SessionID == "") == (p.WorkspaceID == ""):
		return PromptHistory{}, fault.New(fault.Invalid, "Pass either sessionId or workspaceId.")
	case p.Limit < 0 || p.Limit > maxPromptPage:
		return PromptHistory{}, fault.New(fault.Invalid, "A page has at most %d prompts (parameter limit).", maxPromptPage)
	case len(p.Words) > maxPromptWords:
		return PromptHistory{}, fault.New(fault.Invalid, "Enter at most %d bytes (parameter words).", maxPromptWords)
	}
	limit := p.Limit
	if limit == 0 {
		limit = promptPage
	}
	found, err := s.cfg.Library.Prompts(ctx, library.PromptQuery{
		SessionID: p.SessionID, WorkspaceID: p.WorkspaceID, Words: strings.Fields(p.Words), Limit: limit, Before: p.Before,
	})
	if err != nil {
		return PromptHistory{}, err
	}
	page := PromptHistory{Prompts: make([]SaidPrompt, 0, len(found.Said)), Before: found.Before}
	for _, said := range found.Said {
		page.Prompts = append(page.Prompts, SaidPrompt{SessionID: said.SessionID, Text: said.Text, At: said.Time, Author: said.Author})
	}
	return page, nil
}
