package feature

// Empty is the parameter or result of a method that has none.
type Empty struct{}

// SessionRef names a session.
type SessionRef struct {
	SessionID string `json:"sessionId"`
}

// PromptAttachment is a file attached to a prompt. The model sees an image; any other file is
// stored, and mentioned in the prompt by its path.
type PromptAttachment struct {
	Name string `json:"name"`
	// MediaType is "image/png", "image/jpeg", "image/gif" or "image/webp" for an image.
	MediaType string `json:"mediaType"`
	// Data is base64.
	Data string `json:"data"`
}
