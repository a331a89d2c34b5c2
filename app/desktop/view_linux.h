#ifndef PARLEY_VIEW_H
#define PARLEY_VIEW_H

#include <stdint.h>

/* Says whether GTK can open a display. */
int parley_display_available(void);

/* Follows the web view from the main loop on, handing window to the callbacks, and
 * moves the window to x, y when positioned is not 0 and a monitor shows that
 * point. */
void parley_attach_view(uintptr_t window, int positioned, int x, int y);

/* Asks the desktop to point at the window, or not to. May be called on any thread. */
void parley_mark_urgent(int on);

/* Ends the page's process and loads the page in a new one. May be called on any
 * thread. */
void parley_renew_page(void);

/* Moves the window to x, y when a monitor shows that point. May be called on any
 * thread. */
void parley_place(int x, int y);

#endif
