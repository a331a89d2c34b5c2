package heartbeats

import "parley/app/method"

// Methods are the service's API methods.
func (h *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("heartbeat.list", "Lists the heartbeats with their state, and errors in their file.",
			h.List),
		method.New("heartbeat.get", "One heartbeat.",
			h.Get),
		method.New("heartbeat.save", "Saves a heartbeat in the file. Comments and the order of the others are kept.",
			h.Save),
		method.New("heartbeat.delete", "Deletes a heartbeat from the file. Its history is kept.",
			h.Delete),
		method.New("heartbeat.enable", "Turns a heartbeat on or off. Turning it on clears a stop after failures.",
			h.Enable),
		method.New("heartbeat.run", "Runs a heartbeat now.",
			h.Run),
		method.New("heartbeat.cancel", "Cancels a run that is running or waiting.",
			h.Cancel),
		method.New("heartbeat.pause", "Pauses or resumes all heartbeats.",
			h.Pause),
		method.New("heartbeat.history", "The history of due times, newest first.",
			h.History),
		method.New("heartbeat.check", "Checks an unsaved heartbeat or file for errors, and returns when it would be due.",
			h.Check),
		method.New("heartbeat.preview", "Previews what a run would send and may cost. Nothing runs.",
			h.Preview),
		method.New("heartbeat.getFile", "The heartbeats file.",
			h.Text).Was("heartbeat.text"),
		method.New("heartbeat.setFile", "Saves the heartbeats file. Fails if it has errors, or if it was changed in the meantime.",
			h.SetText).Was("heartbeat.setText"),
		method.New("heartbeat.schema", "The JSON schema of the file, for editors.",
			h.Schema),
	}
}
