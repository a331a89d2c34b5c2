package files

// SessionAttachmentParams names one of the attachments of a message.
type SessionAttachmentParams struct {
	SessionID string `json:"sessionId"`
	MessageID string `json:"messageId"`
	// Index counts from 0, as in the message.
	Index int `json:"index"`
}

// SessionAttachment is an image attached to a prompt.
type SessionAttachment struct {
	// MediaType is image/png, image/jpeg, image/gif or image/webp, by its content.
	MediaType string `json:"mediaType"`
	// Data is base64, of at most 8 MiB.
	Data string `json:"data"`
}
