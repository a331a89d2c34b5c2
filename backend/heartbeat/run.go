package heartbeat

import (
	"context"
	"strings"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat/plan"
	"parley/backend/store/model"
	"parley/backend/truncate"
)

const (
	// stopLimit is how long a run may take to stop before its process is killed.
	stopLimit = 10 * time.Second
	// callLimit bounds a call to a session.
	callLimit = 30 * time.Second
	// maxAnswer is how much of an answer is kept in its record, in bytes, maxLast how
	// much the next prompt may contain.
	maxAnswer = 1000
	maxLast   = 8 << 10
)

// run is one active run. Its goroutine is do; everything except the channels and the
// meter belongs to the owner once it has started.
type run struct {
	s     *Service
	job   plan.Job
	beat  model.HeartbeatRun
	place Place
	// text is the prompt.
	text  string
	meter *meter
	// stops receives the reason for stopping it, from the owner.
	stops chan halt
	// asks is true once its channel was told that it waits for an answer.
	asks bool
}

// outcome is the result of a run.
type outcome struct {
	halt
	view
	quiet bool
	// full is the answer.
	full string
}

// do runs, reports to the owner, and ends the process.
func (r *run) do(ctx context.Context) {
	stay, out := r.work(ctx)
	r.deliver(ctx, stay, &out)
	if ctx.Err() == nil && stay.SessionID != "" && stay.Home != HomeSession {
		if err := r.s.cfg.Sessions.Fold(stay.SessionID, out.quiet); err != nil {
			r.s.cfg.Logger.Warn("Couldn't collapse the session of a heartbeat", "heartbeat", r.beat.Name, "session", stay.SessionID, "err", err)
		}
	}
	r.s.tell(func() { r.s.ended(r, out) })
	left := false
	if stay.SessionID != "" {
		left = ctx.Err() != nil || !r.s.endSession(ctx, r.beat.Name, stay)
	}
	r.s.tell(func() { r.s.gone(r, left) })
}

// work sends the prompt and follows it to its end.
func (r *run) work(ctx context.Context) (RunSession, outcome) {
	stay := RunSession{PromptID: r.beat.ID, Home: r.place.Home}
	if r.job.Spec.Destination.Channel != "" && !r.s.cfg.channels() {
		return stay, outcome{halt: halt{"failed", "error", noChannel}}
	}
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	id, rested, err := r.s.cfg.Sessions.Open(limited, r.place)
	if err != nil {
		return stay, r.failed(ctx, err)
	}
	stay.SessionID, stay.Rested = id, rested
	r.s.follow(id, r)
	defer r.s.unfollow(id, r)
	var unwritten error
	if !r.s.tell(func() { unwritten = r.s.started(r, id) }) {
		return stay, closed()
	}
	if unwritten != nil {
		return stay, r.failed(ctx, unwritten)
	}
	turn, err := r.s.cfg.Sessions.Send(limited, id, r.beat.ID, r.text)
	if err != nil {
		return stay, r.failed(ctx, err)
	}
	out := r.await(ctx, stay, turn)
	if out.turn == "" {
		out.turn = turn
	}
	return stay, out
}

// deliver sends to a channel what a run found, or why it failed. If the run had to ask,
// the thread it asks in shows the rest.
func (r *run) deliver(ctx context.Context, stay RunSession, out *outcome) {
	if out.quiet || r.asks {
		return
	}
	text := out.full
	switch out.state {
	case "finished":
	case "failed":
		text = out.reason
	default:
		return
	}
	if err := r.send(ctx, stay, out.state, text); err != nil && out.state == "finished" {
		out.halt = halt{"failed", "error", "It ran, but its answer couldn't be sent to the channel: " + fault.MessageOf(err)}
	}
}

// send sends to the heartbeat's channel, if it has one.
func (r *run) send(ctx context.Context, stay RunSession, state, text string) error {
	channel := r.job.Spec.Destination.Channel
	if channel == "" || !r.s.cfg.channels() {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := r.s.cfg.Channel(limited, channel, RunOutcome{ID: r.beat.ID, SessionID: stay.SessionID, Name: r.beat.Name, Title: r.place.Title, State: state, Text: text})
	if err != nil {
		r.s.cfg.Logger.Warn("Couldn't send a heartbeat's result to its channel", "heartbeat", r.beat.Name, "state", state, "err", err)
	}
	return err
}

func closed() outcome {
	return outcome{halt: halt{"cancelled", "", "Parley quit during the run."}}
}

// failed is the outcome of a run that couldn't be started.
func (r *run) failed(ctx context.Context, err error) outcome {
	if ctx.Err() != nil {
		return closed()
	}
	r.s.cfg.Logger.Warn("Couldn't start a heartbeat", "heartbeat", r.beat.Name, "err", err)
	code := "error"
	if fault.CodeOf(err) == fault.NoAccount {
		code = "auth"
	}
	return outcome{halt: halt{"failed", code, fault.MessageOf(err)}}
}

// await follows a run to its end, and stops it if it must not continue.
func (r *run) await(ctx context.Context, stay RunSession, turn string) outcome {
	var stop halt
	var deadline time.Time
	worked, since, paused := time.Duration(0), time.Now(), false
	timer := time.NewTimer(r.job.Timeout)
	defer timer.Stop()
	for {
		v := r.meter.view()
		if v.done != "" {
			return r.judge(v, stop)
		}
		now := time.Now()
		if !paused {
			worked += now.Sub(since)
		}
		since = now
		if v.waiting != paused {
			paused = v.waiting
			r.s.tell(r.s.changed) // makes the waiting visible
			if paused && !r.asks {
				r.asks = r.job.Spec.Destination.Channel != "" && r.send(ctx, stay, Asking, "It needs an answer before it continues.") == nil
			}
		}
		if v.stop.code == "" && worked >= r.job.Timeout {
			v.stop = halt{"failed", "timeout", "It was stopped, because it took longer than its time limit of " + r.job.Timeout.String() + "."}
			if v.turn == "" {
				v.stop.reason = "It was canceled, because it didn't start within its time limit of " + r.job.Timeout.String() + "."
			}
		}
		if v.stop.code != "" && stop.state == "" {
			stop = v.stop
			deadline = r.halt(ctx, stay, turn)
		}
		switch {
		case stop.state != "":
			if !now.Before(deadline) {
				return r.kill(ctx, stay, stop)
			}
			timer.Reset(deadline.Sub(now))
		case paused:
			timer.Stop()
		default:
			timer.Reset(r.job.Timeout - worked)
		}
		select {
		case <-r.meter.changed:
		case <-timer.C:
		case asked := <-r.stops:
			if stop.state == "" {
				stop = asked
				deadline = r.halt(ctx, stay, turn)
			}
		case <-ctx.Done():
			out := closed()
			out.view = r.meter.view()
			return out
		}
	}
}

// halt asks the session to stop, and returns the deadline.
func (r *run) halt(ctx context.Context, stay RunSession, turn string) time.Time {
	limited, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	deadline := time.Now().Add(stopLimit)
	if err := r.s.cfg.Sessions.Stop(limited, stay.SessionID, stay.PromptID, turn); err != nil {
		r.s.cfg.Logger.Warn("Couldn't stop a heartbeat", "heartbeat", r.beat.Name, "session", stay.SessionID, "err", err)
	}
	return deadline
}

// kill ends the process of a run that didn't stop.
func (r *run) kill(ctx context.Context, stay RunSession, stop halt) outcome {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if err := r.s.cfg.Sessions.EndRunSession(limited, stay, true); err != nil {
		r.s.cfg.Logger.Warn("Couldn't stop the process of a heartbeat", "heartbeat", r.beat.Name, "session", stay.SessionID, "err", err)
	}
	stop.reason += " Its process had to be ended."
	return outcome{halt: stop, view: r.meter.view()}
}

// judge returns the outcome of a run whose turn has ended.
func (r *run) judge(v view, stop halt) outcome {
	out := outcome{view: v, halt: stop}
	if v.answer != "" {
		text, did := found(v.answer)
		out.full, out.quiet = text, !did
	}
	if stop.state != "" && v.done != "completed" {
		out.quiet = false
		return out
	}
	switch v.done {
	case "completed":
		out.halt = halt{state: "finished"}
		if why := over(limitOf(r.job.Spec.Budgets.Run), v.turns, v.tokens, v.usd); why != "" {
			out.halt = halt{"finished", "budget", "It exceeded its budget per run, which only became known at the end: " + why + "."}
		}
		return out
	case "interrupted":
		out.halt = halt{"cancelled", "", "Someone stopped it."}
	case "dropped":
		out.halt = halt{"cancelled", "", "Someone removed its prompt."}
	case "closed":
		out.halt = halt{"cancelled", "", "Its session was closed during the run."}
	default:
		out.halt = halt{"failed", codeOf(v), reasonOf(v)}
	}
	out.quiet = false
	return out
}

// codeOf returns the code of a failure.
func codeOf(v view) string {
	switch {
	case strings.Contains(v.subtype, "budget"):
		return "budget"
	case v.failure == nil:
		return "error"
	}
	switch v.failure.Code {
	case "no_account", "login_expired", "unauthorized", "authentication_failed":
		return "auth"
	case event.FailRateLimit:
		return codeLimit
	}
	return "error"
}

func reasonOf(v view) string {
	switch {
	case strings.Contains(v.subtype, "budget"):
		return "It was stopped at its budget per run, in dollars."
	case v.failure != nil && v.failure.Message != "":
		return truncate.Bytes(v.failure.Message, maxAnswer)
	case v.done == "crashed":
		return "Claude Code quit during the run."
	}
	return "The turn ended with an error."
}

// tokensOf returns usage in stored form.
func tokensOf(u event.Usage) model.Tokens {
	return model.Tokens{Input: u.InputTokens, CacheRead: u.CacheReadTokens, CacheCreation: u.CacheCreationTokens, Output: u.OutputTokens}
}
