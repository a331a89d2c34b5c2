#ifndef PARLEY_VIEW_H
#define PARLEY_VIEW_H

#include <stdint.h>

#include "place_linux.h"

/* Says whether GTK can open a display. */
int parley_display_available(void);

/* Follows the web view from the main loop on, handing window to the callbacks, and puts
 * the window in its place. least is how small it may become. */
void parley_attach_view(uintptr_t window, int least_width, int least_height);

/* Asks the desktop to point at the window, or not to. May be called on any thread. */
void parley_mark_urgent(int on);

/* Ends the page's process and loads the page in a new one. May be called on any
 * thread. */
void parley_renew_page(void);

/* Closes every dialog from now on, as if the person had. May be called on any thread. */
void parley_end_dialogs(void);

#endif
