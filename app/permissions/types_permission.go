package permissions

import (
	"encoding/json"

	"parley/backend/event"
)

// PermissionListParams narrows the list of open requests.
type PermissionListParams struct {
	SessionID string `json:"sessionId,omitempty"`
}

// PermissionList has the open requests, oldest first.
type PermissionList struct {
	Requests []OpenQuestion `json:"requests"`
}

// OpenQuestion is a request with its session.
type OpenQuestion struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId,omitempty"`
	// SessionTitle is the session's current title.
	SessionTitle string `json:"sessionTitle"`
	event.Question
}

// PermissionRespondParams answers a request.
type PermissionRespondParams struct {
	RequestID string `json:"requestId"`
	// Behavior is "allow" or "deny".
	Behavior string `json:"behavior"`
	// UpdatedInput replaces the tool's input (allow only).
	UpdatedInput json.RawMessage `json:"updatedInput,omitempty"`
	// Message tells the model the reason (deny only).
	Message string `json:"message,omitempty"`
	// Answers maps a question's text to the chosen label or labels.
	Answers map[string]any `json:"answers,omitempty"`
	// Remember allows the same tool with the same input for the rest of the
	// session without asking.
	Remember bool `json:"remember,omitempty"`
	// Suggestions are indexes of the request's suggestions that apply for the rest of the session
	// (allow only).
	Suggestions []int `json:"suggestions,omitempty"`
	// Rule creates rules that allow such calls from now on (allow only).
	Rule *RuleChoice `json:"rule,omitempty"`
	// Choice is for the kind "trust", with allow: "trusted" lets the CLI load what the
	// folder has, which is the default; "bare" starts it without that.
	Choice string `json:"choice,omitempty"`
}

// PermissionRespondResult reports whether this answer was the first, and how the request ended.
type PermissionRespondResult struct {
	Won bool `json:"won"`
	// Outcome, By, At and Message are the outcome, as in the event session.permission_resolved.
	Outcome string `json:"outcome"`
	By      string `json:"by"`
	At      int64  `json:"at"`
	Message string `json:"message,omitempty"`
	// Rules are the created rules.
	Rules []Rule `json:"rules"`
	// Warning says what went wrong after the answer was given: rules that apply now but could not
	// be saved.
	Warning string `json:"warning,omitempty"`
}
