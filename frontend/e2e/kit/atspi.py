"""Writes as JSON what assistive programs see on this desktop.

    atspi.py PROGRAM        its menus, from their roots on: {role, name, states, keys, children}
    atspi.py PROGRAM page   what has a name and shows, of all of it: {role, name, at: [x, y, width, height]}
    atspi.py PROGRAM focus  what has the focus, and all around it: {role, name, states, keys}
"""

import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

ROOTS = {"menu bar", "menu"}
STATES = {name: getattr(Atspi.StateType, name.upper()) for name in ("enabled", "sensitive", "showing", "checked", "selected", "focused")}


def said_of(node, deep=True):
    states = node.get_state_set()
    return {
        "role": node.get_role_name(),
        "name": node.get_name(),
        "states": [name for name, state in STATES.items() if states.contains(state)],
        "keys": Atspi.Action.get_key_binding(node, 0) if "Action" in node.get_interfaces() else "",
        "children": [said_of(child) for child in children(node)] if deep else [],
    }


def children(node):
    return [child for child in (node.get_child_at_index(i) for i in range(node.get_child_count())) if child]


def roots(node, depth):
    if node.get_role_name() in ROOTS:
        yield said_of(node)
        return
    # A page is large, and its menus are its own.
    if depth == 0 or node.get_role_name().startswith("document"):
        return
    for child in children(node):
        yield from roots(child, depth - 1)


def shown(node, depth=60):
    if node.get_name() and node.get_state_set().contains(Atspi.StateType.SHOWING):
        at = node.get_extents(Atspi.CoordType.SCREEN) if "Component" in node.get_interfaces() else None
        yield {"role": node.get_role_name(), "name": node.get_name(), "at": [at.x, at.y, at.width, at.height] if at else None}
    if depth > 0:
        for child in children(node):
            yield from shown(child, depth - 1)


def focused(node, depth=60):
    if node.get_state_set().contains(Atspi.StateType.FOCUSED):
        yield {key: value for key, value in said_of(node, deep=False).items() if key != "children"}
    if depth > 0:
        for child in children(node):
            yield from focused(child, depth - 1)


def read(program, what):
    while True:
        try:
            return [found for app in children(Atspi.get_desktop(0)) if app.get_name() == program for found in what(app)]
        except GLib.Error:
            pass  # something went while it was read


WHAT = {"page": shown, "focus": focused, "menus": lambda app: roots(app, 8)}
json.dump(read(sys.argv[1], WHAT[sys.argv[2] if len(sys.argv) > 2 else "menus"]), sys.stdout)
