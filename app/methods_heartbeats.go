package app

import (
	"context"

	"parley/app/method"
)

// HeartbeatService runs prompts on a schedule.
type HeartbeatService interface {
	List(context.Context, Empty) (HeartbeatList, error)
	Get(context.Context, HeartbeatRef) (Heartbeat, error)
	Save(context.Context, HeartbeatSaveParams) (Heartbeat, error)
	Delete(context.Context, HeartbeatRef) (Empty, error)
	Enable(context.Context, HeartbeatEnableParams) (Heartbeat, error)
	Run(context.Context, HeartbeatRef) (HeartbeatRunResult, error)
	Cancel(context.Context, HeartbeatRunRef) (Empty, error)
	Pause(context.Context, HeartbeatPauseParams) (Empty, error)
	History(context.Context, HeartbeatHistoryParams) (HeartbeatHistory, error)
	Check(context.Context, HeartbeatCheckParams) (HeartbeatCheck, error)
	Preview(context.Context, HeartbeatRef) (HeartbeatPreview, error)
	Text(context.Context, Empty) (HeartbeatText, error)
	SetText(context.Context, HeartbeatText) (HeartbeatText, error)
	Schema(context.Context, Empty) (HeartbeatSchema, error)
}

func heartbeatMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("heartbeat.list", "The heartbeats: prompts on a schedule, what becomes of them, and what is wrong with their file.",
			bind(s, s.Heartbeats, HeartbeatService.List)),
		method.New("heartbeat.get", "One heartbeat.",
			bind(s, s.Heartbeats, HeartbeatService.Get)),
		method.New("heartbeat.save", "Writes a heartbeat into the file; comments and the order of the rest stay.",
			bind(s, s.Heartbeats, HeartbeatService.Save)),
		method.New("heartbeat.delete", "Takes a heartbeat out of the file. Its records stay.",
			bind(s, s.Heartbeats, HeartbeatService.Delete)),
		method.New("heartbeat.enable", "Switches a heartbeat on or off. Switching it on takes back that it was stopped.",
			bind(s, s.Heartbeats, HeartbeatService.Enable)),
		method.New("heartbeat.run", "Runs a heartbeat now.",
			bind(s, s.Heartbeats, HeartbeatService.Run)),
		method.New("heartbeat.cancel", "Ends a run that is under way, or takes back one that waits.",
			bind(s, s.Heartbeats, HeartbeatService.Cancel)),
		method.New("heartbeat.pause", "Pauses all heartbeats, or lets them go on.",
			bind(s, s.Heartbeats, HeartbeatService.Pause)),
		method.New("heartbeat.history", "What became of due times, newest first.",
			bind(s, s.Heartbeats, HeartbeatService.History)),
		method.New("heartbeat.check", "What is wrong with a heartbeat or a file that is not saved, and when it would be due.",
			bind(s, s.Heartbeats, HeartbeatService.Check)),
		method.New("heartbeat.preview", "What a run would send, and what it may cost. Nothing is run.",
			bind(s, s.Heartbeats, HeartbeatService.Preview)),
		method.New("heartbeat.text", "The file of heartbeats.",
			bind(s, s.Heartbeats, HeartbeatService.Text)),
		method.New("heartbeat.setText", "Writes the file of heartbeats. One with mistakes is refused, and so is one that was changed meanwhile.",
			bind(s, s.Heartbeats, HeartbeatService.SetText)),
		method.New("heartbeat.schema", "The JSON schema of the file, for editors.",
			bind(s, s.Heartbeats, HeartbeatService.Schema)),
	}
}
