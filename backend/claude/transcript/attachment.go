package transcript

import "bytes"

// Attachment returns the base64 contents of a prompt's attachment; index counts from 0
// as in the prompt's message. It returns false if the line isn't the one of the
// message, or has no such attachment.
func (l *Line) Attachment(messageID string, index int) (data []byte, ok bool) {
	if messageID == "" || l.promptID() != messageID {
		return nil, false
	}
	content := member(l.message, "content")
	if l.Type == "attachment" {
		content = member(l.attachment, "prompt")
	}
	each(content, func(kind string, block []byte) bool {
		if kind != "image" && kind != "document" {
			return true
		}
		if index--; index >= 0 {
			return true
		}
		if source := member(block, "source"); str(member(source, "type")) == "base64" {
			data, ok = bytes.Trim(member(source, "data"), `"`), true
		}
		return false
	})
	return data, ok
}
