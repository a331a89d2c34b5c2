package gateway

import (
	"encoding/json"
	"unicode/utf8"

	"parley/app/method"
	"parley/backend/fault"
)

// request is a client's frame: {"type":"req","id":…,"method":…,"params":…}.
type request struct {
	// id is a JSON string or number, returned unchanged; nil if unknown.
	id     json.RawMessage
	method string
	params json.RawMessage
	// ping is set for {"type":"ping"}, which needs no id and nothing else.
	ping bool
}

// maxID bounds what is repeated in every answer.
const maxID = 256

// decode parses a frame. On error, the request still has its id if that could be read, so that the
// answer can be matched.
func decode(data []byte) (request, error) {
	if !utf8.Valid(data) {
		return request{}, fault.New(fault.Invalid, "the frame is not UTF-8")
	}
	var frame struct {
		Type   json.RawMessage `json:"type"`
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(data, &frame); err != nil {
		if json.Valid(data) {
			return request{}, fault.New(fault.Invalid, "the frame must be an object")
		}
		return request{}, fault.New(fault.Invalid, "the frame is not JSON")
	}
	var kind string
	known := json.Unmarshal(frame.Type, &kind) == nil
	if known && kind == "ping" && (len(frame.ID) == 0 || goodID(frame.ID)) {
		return request{id: frame.ID, ping: true}, nil
	}
	if !goodID(frame.ID) {
		return request{}, fault.New(fault.Invalid, "the frame's \"id\" must be a string or a number of at most %d bytes", maxID)
	}
	req := request{id: frame.ID, params: frame.Params}
	if !known || kind != "req" {
		return req, fault.New(fault.Invalid, "the frame's \"type\" must be \"req\"")
	}
	if json.Unmarshal(frame.Method, &req.method) != nil || req.method == "" {
		return req, fault.New(fault.Invalid, "the frame's \"method\" must be the name of a method")
	}
	return req, nil
}

func goodID(id json.RawMessage) bool {
	if len(id) == 0 || len(id) > maxID {
		return false
	}
	return id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

// pong answers a ping, with its id if it had one.
func pong(id json.RawMessage) []byte {
	if len(id) == 0 {
		return []byte(`{"type":"pong"}`)
	}
	return append(append([]byte(`{"type":"pong","id":`), id...), '}')
}

// respond encodes the answer to a request.
func respond(id json.RawMessage, payload json.RawMessage, err error) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	out := make([]byte, 0, len(payload)+len(id)+64)
	out = append(out, `{"type":"res","id":`...)
	out = append(out, id...)
	if err != nil {
		// Encoding two strings never fails.
		body, _ := method.Encode(borderErrorOf(err))
		out = append(out, `,"ok":false,"error":`...)
		out = append(out, body...)
	} else {
		out = append(out, `,"ok":true,"payload":`...)
		out = append(out, payload...)
	}
	return append(out, '}')
}

// borderError is a fault as clients see it.
type borderError struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

func borderErrorOf(err error) borderError {
	return borderError{Code: fault.CodeOf(err), Message: fault.MessageOf(err)}
}
