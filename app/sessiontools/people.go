package sessiontools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/app/feature"
	"parley/app/tool"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/toolserver"
	"parley/backend/untrusted"
)

// peopleSet is the tool set "people": how a session's model reaches the user.
type peopleSet struct {
	own *tool.Asker
	// say notifies a user who is not looking.
	say func(ctx context.Context, s event.Session, title, text string) error
	now func() time.Time

	mu sync.Mutex
	// told has the times of sessions' notifications within the last hour.
	told map[string][]time.Time
}

const (
	// MaxNoticeTitle and maxNoticeText are in characters.
	MaxNoticeTitle = 80
	maxNoticeText  = 300
	// maxTold is how many notifications one session, and all together, may send per hour.
	maxToldPerSession = 6
	maxToldPerHour    = 30

	maxQuestions    = 4
	maxOptions      = 12
	maxQuestionText = 2000
	maxOptionText   = 300
)

func (t *peopleSet) set() tool.Set {
	return tool.Set{ID: "people", Tools: func(spec session.Spec) ([]toolserver.Tool, error) {
		return tool.Join(t.notify(spec), t.askUser(spec))
	}}
}

type notifyUserIn struct {
	Title string `json:"title" jsonschema:"one line of at most 80 characters"`
	Text  string `json:"text,omitempty" jsonschema:"at most 300 characters"`
}

func (t *peopleSet) notify(spec session.Spec) tool.Made {
	return tool.Of("Notify the user", toolserver.Hints{ReadOnly: true})(toolserver.NewTool("notify_user",
		"Shows the user a desktop notification, for something they should know now even if they aren't looking at this conversation. "+
			"Ends of turns and open questions are notified automatically. At most 6 times an hour.",
		func(ctx context.Context, _ toolserver.Call, in notifyUserIn) (toolserver.Result, error) {
			title, text := strings.TrimSpace(untrusted.Visible(in.Title)), strings.TrimSpace(untrusted.Visible(in.Text))
			switch {
			case title == "" || strings.Contains(title, "\n") || len([]rune(title)) > MaxNoticeTitle:
				return toolserver.Result{}, fault.New(fault.Invalid, "The title must be one line of 1 to %d characters.", MaxNoticeTitle)
			case len([]rune(text)) > maxNoticeText:
				return toolserver.Result{}, fault.New(fault.Invalid, "The text can have at most %d characters.", maxNoticeText)
			}
			s, err := t.own.Session(ctx, spec.SessionID)
			if err != nil {
				return toolserver.Result{}, err
			}
			if err := t.count(spec.SessionID); err != nil {
				return toolserver.Result{}, err
			}
			if err := t.say(ctx, s, title, text); err != nil {
				return toolserver.Result{}, err
			}
			return toolserver.Result{Text: "The user was notified. It's unknown whether they saw it."}, nil
		}))
}

// count records a session's notification, unless there were too many.
func (t *peopleSet) count(id string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told == nil {
		t.told = map[string][]time.Time{}
	}
	now, all := t.now(), 0
	for id, times := range t.told {
		if times = slices.DeleteFunc(times, func(at time.Time) bool { return now.Sub(at) >= time.Hour }); len(times) == 0 {
			delete(t.told, id)
			continue
		}
		t.told[id] = times
		all += len(times)
	}
	if len(t.told[id]) >= maxToldPerSession || all >= maxToldPerHour {
		return fault.New(fault.Busy, "Too many notifications within an hour (%d per session, %d in total). Say it in the conversation instead.", maxToldPerSession, maxToldPerHour)
	}
	t.told[id] = append(t.told[id], now)
	return nil
}

type askUserIn struct {
	Questions []askUserQuestion `json:"questions" jsonschema:"1 to 4 questions, each with another text"`
}

type askUserQuestion struct {
	Question string          `json:"question" jsonschema:"the whole question"`
	Header   string          `json:"header,omitempty" jsonschema:"a word or two for the question's label"`
	Multiple bool            `json:"multiple,omitempty" jsonschema:"the user may choose several options"`
	Options  []askUserOption `json:"options,omitempty" jsonschema:"at most 12; the user may always answer in their own words; none for an answer in their own words only"`
}

type askUserOption struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

type askUserOut struct {
	Answers []askUserAnswer `json:"answers"`
}

type askUserAnswer struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

func (t *peopleSet) askUser(spec session.Spec) tool.Made {
	return tool.Of("Ask the user", toolserver.Hints{ReadOnly: true})(toolserver.NewStructuredTool("ask_user",
		"Asks the user 1 to 4 questions in Parley's dialog and waits for the answers, which can take a long time. Each question has options to choose from, or accepts a free-text answer.",
		func(ctx context.Context, call toolserver.Call, in askUserIn) (askUserOut, error) {
			asked, err := asDialog(in)
			if err != nil {
				return askUserOut{}, err
			}
			given, err := t.own.Answers(ctx, spec, call, asked)
			if err != nil {
				return askUserOut{}, err
			}
			out := askUserOut{Answers: []askUserAnswer{}}
			for _, q := range asked {
				answer, ok := given[q.Question]
				if !ok {
					answer = "(no answer)"
				}
				out.Answers = append(out.Answers, askUserAnswer{Question: q.Question, Answer: answer})
			}
			return out, nil
		}))
}

// asDialog validates questions and converts them to the dialog's form. Its errors say what is
// wrong.
func asDialog(in askUserIn) ([]tool.Dialog, error) {
	if len(in.Questions) == 0 || len(in.Questions) > maxQuestions {
		return nil, fault.New(fault.Invalid, "Ask 1 to %d questions at a time.", maxQuestions)
	}
	var list []tool.Dialog
	for i, q := range in.Questions {
		made := tool.Dialog{Question: feature.Plain(q.Question), Header: feature.Plain(q.Header), MultiSelect: q.Multiple, Options: []tool.Option{}}
		if err := fits(fmt.Sprintf("question %d", i+1), made.Question, 1, maxQuestionText); err != nil {
			return nil, err
		}
		if err := fits(fmt.Sprintf("the header of question %d", i+1), made.Header, 0, 40); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(other tool.Dialog) bool { return other.Question == made.Question }) {
			return nil, fault.New(fault.Invalid, "Two questions have the same text.")
		}
		if len(q.Options) > maxOptions {
			return nil, fault.New(fault.Invalid, "A question can have at most %d options.", maxOptions)
		}
		for _, o := range q.Options {
			option := tool.Option{Label: feature.Plain(o.Label), Description: feature.Plain(o.Description)}
			if err := errors.Join(fits("an option's label", option.Label, 1, maxOptionText), fits("an option's description", option.Description, 0, maxOptionText)); err != nil {
				return nil, err
			}
			if slices.ContainsFunc(made.Options, func(other tool.Option) bool { return other.Label == option.Label }) {
				return nil, fault.New(fault.Invalid, "Two options of question %d have the same label.", i+1)
			}
			made.Options = append(made.Options, option)
		}
		list = append(list, made)
	}
	return list, nil
}

func fits(what, text string, least, most int) error {
	if n := len([]rune(text)); n < least || n > most {
		return fault.New(fault.Invalid, "%s has %d characters; it may have %d to %d.", strings.ToUpper(what[:1])+what[1:], n, least, most)
	}
	return nil
}
