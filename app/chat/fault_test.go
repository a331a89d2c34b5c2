package chat

import (
	"context"
	"errors"
	"testing"

	"parley/backend/chat"
	"parley/backend/fault"
)

func TestChatFaults(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code fault.Code
	}{
		{chat.ErrGone, fault.NotFound}, {chat.ErrForbidden, fault.Forbidden}, {chat.ErrOffline, fault.Unavailable}, {chat.ErrTooLarge, fault.TooLarge},
		{context.DeadlineExceeded, fault.Unavailable}, {fault.New(fault.Busy, "Wait."), fault.Busy}, {errors.New("else"), fault.Internal},
	} {
		if got := fault.CodeOf(chatFault(tt.err)); got != tt.code {
			t.Errorf("%v is %s", tt.err, got)
		}
	}
	if chatFault(nil) != nil {
		t.Error("nothing is a fault")
	}
}
