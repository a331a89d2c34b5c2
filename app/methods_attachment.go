package app

import (
	"context"

	"parley/app/method"
)

// PictureService reads the pictures that went with prompts.
type PictureService interface {
	Picture(context.Context, SessionAttachmentParams) (SessionAttachment, error)
}

// SessionAttachmentParams names one of the attachments of a message.
type SessionAttachmentParams struct {
	SessionID string `json:"sessionId"`
	MessageID string `json:"messageId"`
	// Index counts from 0, as in the message.
	Index int `json:"index"`
}

// SessionAttachment is a picture that went with a prompt.
type SessionAttachment struct {
	// MediaType is image/png, image/jpeg, image/gif or image/webp: what it is, whatever it
	// was called.
	MediaType string `json:"mediaType"`
	// Data is base64, of at most 8 MiB.
	Data string `json:"data"`
}

// attachmentMethods are those of what went with prompts.
func attachmentMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("session.attachment", "A picture that went with a prompt, as the CLI keeps it. Other files are not given.",
			bind(s, s.Pictures, PictureService.Picture)),
	}
}
