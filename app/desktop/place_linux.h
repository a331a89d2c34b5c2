#ifndef PARLEY_PLACE_H
#define PARLEY_PLACE_H

#include <gtk/gtk.h>
#include <stdint.h>

/* Where the window is: the corner of its frame, which only some displays tell, and the
 * size of what is in it. free says that neither is the doing of the window manager. */
struct parley_place {
    int width, height;
    int positioned, x, y;
    int maximised, free, scale;
};

struct parley_area {
    int x, y, width, height;
};

/* The areas of the monitors, at most so many, and how many pixels a unit of the desktop
 * is wide. On the main loop's thread, or before there is one. */
int parley_monitors(struct parley_area *areas, int most);
int parley_scale(void);

/* Tells of the window's place from now on, and puts it in the one that it should have if it
 * is shown. least is how small it may become. On the main loop's thread. */
void parley_follow_place(uintptr_t window, GtkWindow *gtk, int least_width, int least_height);

/* The rest may be called on any thread. */

/* Tells of the place as it is now, and says when that is done, handing done on. */
void parley_look(uintptr_t done);

/* Hides the window, telling of its place before. */
void parley_hide(void);

/* Brings the window to the front, putting it in its place if it is hidden. */
void parley_show(void);

#endif
