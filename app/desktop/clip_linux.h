#ifndef PARLEY_CLIP_H
#define PARLEY_CLIP_H

#include <stdint.h>

/* Has the page take nothing of what is dragged into it from other programs: it is told to
 * window instead, and so are the keys for pasting. view is a GtkWidget. For the main
 * loop's thread. */
void parley_clip_follow(void *view, uintptr_t window);

/* Pastes into the page as the keys for it do. Only what a person chose may be its cause.
 * For the main loop's thread. */
void parley_paste(void);

/* Reads the clipboard and calls parleyGrabbed with request, exactly once. May be called on
 * any thread. */
void parley_read_clipboard(uintptr_t request);

/* Says whether what is dragged may be dropped where it is. May be called on any thread. */
void parley_accept_drag(int may);

#endif
