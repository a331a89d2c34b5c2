package transcript

import "bytes"

// Attachment returns the contents, in base64, of what came with a prompt, counting from
// 0 as the prompt's message does. It reports false when the line is not the one of the
// message, or has no such attachment in itself.
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
