package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/toolserver"
)

// peopleTools are the set "people": how the model of a session reaches the person.
type peopleTools struct {
	own *own
	// say tells a person who is not looking.
	say func(ctx context.Context, s event.Session, title, text string) error
	now func() time.Time

	mu sync.Mutex
	// told is when sessions told something within the last hour.
	told map[string][]time.Time
}

const (
	// maxNoticeTitle and maxNoticeText are in characters.
	maxNoticeTitle = 80
	maxNoticeText  = 300
	// maxTold is how often one session, and all together, may tell something in an hour.
	maxToldPerSession = 6
	maxToldPerHour    = 30

	maxQuestions    = 4
	maxOptions      = 12
	maxQuestionText = 2000
	maxOptionText   = 300
)

func (t *peopleTools) set() toolset {
	return toolset{id: "people", tools: func(spec session.Spec) ([]toolserver.Tool, error) {
		return joinTools(t.notify(spec), t.askUser(spec))
	}}
}

type notifyUserIn struct {
	Title string `json:"title" jsonschema:"one line of at most 80 characters"`
	Text  string `json:"text,omitempty" jsonschema:"at most 300 characters"`
}

func (t *peopleTools) notify(spec session.Spec) made {
	return toolOf("Notify the user", toolserver.Hints{ReadOnly: true})(toolserver.NewTool("notify_user",
		"Shows the user a notification on their desktop, for what they should know now although they are not looking at this conversation. "+
			"The ends of turns and open questions are shown without it. At most 6 times an hour.",
		func(ctx context.Context, _ toolserver.Call, in notifyUserIn) (toolserver.Result, error) {
			title, text := strings.TrimSpace(shownText(in.Title)), strings.TrimSpace(shownText(in.Text))
			switch {
			case title == "" || strings.Contains(title, "\n") || len([]rune(title)) > maxNoticeTitle:
				return toolserver.Result{}, fault.New(fault.Invalid, "The title is one line of 1 to %d characters.", maxNoticeTitle)
			case len([]rune(text)) > maxNoticeText:
				return toolserver.Result{}, fault.New(fault.Invalid, "The text has at most %d characters.", maxNoticeText)
			}
			s, err := t.own.session(ctx, spec.SessionID)
			if err != nil {
				return toolserver.Result{}, err
			}
			if err := t.count(spec.SessionID); err != nil {
				return toolserver.Result{}, err
			}
			if err := t.say(ctx, s, title, text); err != nil {
				return toolserver.Result{}, err
			}
			return toolserver.Result{Text: "The user is told. Whether they saw it is not known."}, nil
		}))
}

// count notes that a session tells something, unless it did so too often.
func (t *peopleTools) count(id string) error {
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
		return fault.New(fault.Busy, "The user was told too much within an hour (%d times from a session, %d from all). Say it in the conversation.", maxToldPerSession, maxToldPerHour)
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

func (t *peopleTools) askUser(spec session.Spec) made {
	return toolOf("Ask the user", toolserver.Hints{ReadOnly: true})(toolserver.NewStructuredTool("ask_user",
		"Asks the user 1 to 4 questions in Parley's dialog and waits for the answers, which may take long. Each has options to choose from, or takes the user's own words.",
		func(ctx context.Context, call toolserver.Call, in askUserIn) (askUserOut, error) {
			asked, err := asDialog(in)
			if err != nil {
				return askUserOut{}, err
			}
			given, err := t.own.answers(ctx, spec, call, asked)
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

// asDialog checks questions and gives them the form of the dialog. Its errors say what is
// wrong.
func asDialog(in askUserIn) ([]question, error) {
	if len(in.Questions) == 0 || len(in.Questions) > maxQuestions {
		return nil, fault.New(fault.Invalid, "Ask 1 to %d questions at a time.", maxQuestions)
	}
	var list []question
	for i, q := range in.Questions {
		made := question{Question: plainText(q.Question), Header: plainText(q.Header), MultiSelect: q.Multiple, Options: []questionOption{}}
		if err := fits(fmt.Sprintf("question %d", i+1), made.Question, 1, maxQuestionText); err != nil {
			return nil, err
		}
		if err := fits(fmt.Sprintf("the header of question %d", i+1), made.Header, 0, 40); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(other question) bool { return other.Question == made.Question }) {
			return nil, fault.New(fault.Invalid, "Two questions have the same text.")
		}
		if len(q.Options) > maxOptions {
			return nil, fault.New(fault.Invalid, "A question has at most %d options.", maxOptions)
		}
		for _, o := range q.Options {
			option := questionOption{Label: plainText(o.Label), Description: plainText(o.Description)}
			if err := errors.Join(fits("an option's label", option.Label, 1, maxOptionText), fits("an option's description", option.Description, 0, maxOptionText)); err != nil {
				return nil, err
			}
			if slices.ContainsFunc(made.Options, func(other questionOption) bool { return other.Label == option.Label }) {
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
