package engine

import (
	"encoding/json"
	"sync"

	"parley/backend/claude"
	"parley/backend/claude/wire"
	"parley/backend/session"
)

// Resume implements [session.Engine]: it continues with a CLI of the previous program.
func (e *Service) Resume(spec session.Spec, state json.RawMessage) (session.Process, error) {
	connect := e.overSocket
	if spec.Engine == "sdk" {
		connect = e.overPipes
	}
	link, err := connect(spec, e.cfg.Tools.Resume)
	if err != nil {
		return nil, err
	}
	host := &host{engine: e, spec: spec, tools: link.tools}
	process, err := claude.NewEngine(claude.Config{
		Home: e.cfg.Home, Log: e.cfg.Log, Started: e.cfg.Processes.Started(), Claim: e.claim, Held: e.cfg.Processes.HeldGroup,
		Host:    func(session.Spec) claude.Host { return host.take },
		Repeats: func(_ session.Spec, req *wire.ControlRequest) bool { return host.repeats(req) },
	}).Resume(spec, state)
	if err != nil {
		link.end()
		return nil, err
	}
	return e.linked(spec, process, link), nil
}

// claim finds a held CLI.
func (e *Service) claim(id uint64) claude.Program {
	if e.host == nil {
		return nil
	}
	if p := e.host.Claim(id); p != nil {
		return p
	}
	return nil
}

// repeats reports whether another program may answer a request again.
func (h *host) repeats(req *wire.ControlRequest) bool {
	var m wire.MCPMessage
	if req.Subtype != "mcp_message" || h.tools == nil || json.Unmarshal(req.Raw, &m) != nil {
		return true
	}
	return h.tools.Repeats(m.Message)
}

// linked is a process with its link.
func (e *Service) linked(spec session.Spec, p *claude.Process, link link) session.Process {
	link.started(p)
	e.unlinking.Go(func() { e.listen(spec, p) })
	return &linkedProcess{Process: p, unlink: func() {
		e.cfg.Rules.Unhear(spec.SessionID, spec.CWD)
		e.unlinking.Go(link.end)
	}}
}

// linkedProcess revokes a process's link when the process has ended.
type linkedProcess struct {
	session.Process
	once   sync.Once
	unlink func()
}

// Exit implements [session.Process].
func (p *linkedProcess) Exit() session.Exit {
	p.once.Do(p.unlink)
	return p.Process.Exit()
}
