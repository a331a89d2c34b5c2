#ifndef PARLEY_MENU_H
#define PARLEY_MENU_H

#include <gtk/gtk.h>
#include <stdint.h>
#include <webkit2/webkit2.h>

/* All of this is for the main loop's thread only. */

/* Gives the view its context menu, and the window the keys of its menu bar, handing
 * window to the callbacks. */
void parley_attach_menus(uintptr_t window, GtkWindow *top, WebKitWebView *view);

/* What the next context menu shows: parley_context_clear, then each entry. The id "" is a
 * line between entries, "spelling" stands for what WebKit suggests. */
void parley_context_clear(void);
void parley_context_add(const char *id, const char *label, int enabled);

/* The menu bar anew: parley_bar_begin, then its menus and their entries, then
 * parley_bar_end. A menu inside of a menu ends with parley_bar_up. */
enum parley_kind { PARLEY_PLAIN, PARLEY_CHECK, PARLEY_RADIO };
void parley_bar_begin(void);
void parley_bar_down(const char *label);
void parley_bar_up(void);
void parley_bar_line(void);
void parley_bar_item(const char *id, const char *label, const char *keys, const char *accelerator, int kind);
void parley_bar_end(void);

/* Whether an entry of the bar can be chosen, and is ticked. */
void parley_bar_state(const char *id, int enabled, int checked);

/* Whether the bar is always there, or only while it is used. */
void parley_bar_shown(int shown);

/* How menus look. */
void parley_menu_style(const char *css);

#endif
