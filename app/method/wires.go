package method

import (
	"context"

	"parley/app/feature"
	"parley/backend/fault"
)

// wires are the methods of connections, and of the table itself.
func wires(t *Table) []*Method {
	return []*Method{
		New("subscribe", "Subscribes this connection to more events. A new connection receives none.", subscribe).Always(),
		New("unsubscribe", "Unsubscribes this connection from events.", unsubscribe).Always(),
		New("gateway.welcome", "The ID of this connection, and the surface that it belongs to.",
			func(ctx context.Context, _ feature.Empty) (Welcome, error) {
				return Welcome{ConnectionID: Connection(ctx), Surface: Surface(ctx)}, nil
			}).Always(),
		New("method.list", "Every method with the JSON schemas of its parameters and its result.",
			func(context.Context, feature.Empty) (MethodList, error) { return listed(t) }).Always(),
	}
}

func subscribe(ctx context.Context, p SubscribeParams) (SubscribeResult, error) {
	f := EventFilterOf(ctx)
	if f == nil {
		return SubscribeResult{}, noFilter()
	}
	events, err := f.Subscribe(p.Events)
	return SubscribeResult{Events: events}, err
}

func unsubscribe(ctx context.Context, p SubscribeParams) (SubscribeResult, error) {
	f := EventFilterOf(ctx)
	if f == nil {
		return SubscribeResult{}, noFilter()
	}
	events, err := f.Unsubscribe(p.Events)
	return SubscribeResult{Events: events}, err
}

func noFilter() error {
	return fault.New(fault.Unavailable, "this connection already receives every event")
}

func listed(t *Table) (MethodList, error) {
	list := MethodList{Methods: []MethodInfo{}}
	for _, m := range t.List() {
		params, err := m.ParamsSchema()
		if err != nil {
			return MethodList{}, err
		}
		result, err := m.ResultSchema()
		if err != nil {
			return MethodList{}, err
		}
		info := MethodInfo{Name: m.Name, Doc: m.Doc, Example: m.Example()}
		if info.Params, err = Encode(params); err != nil {
			return MethodList{}, err
		}
		if info.Result, err = Encode(result); err != nil {
			return MethodList{}, err
		}
		list.Methods = append(list.Methods, info)
	}
	return list, nil
}
