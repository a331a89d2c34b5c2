//go:build desktop

#include "place_linux.h"

#include <gtk/gtk.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/gdkx.h>
#endif

/* Exported from place_linux.go. */
extern void parleyPlaced(uintptr_t window, struct parley_place at);
extern void parleyLooked(uintptr_t done);
extern struct parley_place parleyFit(uintptr_t window);

enum {
    calm = 200,  /* ms after which a window that was moved lies still */
    check = 150, /* ms that a window manager is given to put the window in its place */
    firm = 2,    /* checks in a row that find it there: a manager may move it once more */
    tries = 6,
    patience = 60, /* checks until it is shown, which a busy machine takes its time for */
};

/* The one window and what becomes of it; for the main loop's thread only. */
static struct {
    uintptr_t window;
    GtkWindow *gtk;
    guint still; /* a source, 0 for none */
    guint settling;
    int waits, left, found;
    int least_width, least_height;
    struct parley_place wanted;
} life;

static int placeable(GtkWindow *window) {
#ifdef GDK_WINDOWING_X11
    return GDK_IS_X11_DISPLAY(gtk_widget_get_display(GTK_WIDGET(window)));
#else
    (void)window;
    return 0;
#endif
}

static GdkWindowState state_of(GtkWindow *window) {
    GdkWindow *gdk = gtk_widget_get_window(GTK_WIDGET(window));
    return gdk == NULL ? GDK_WINDOW_STATE_WITHDRAWN : gdk_window_get_state(gdk);
}

/* Whether the window is shown, and in a size and a place that a person chose. */
static int is_free(GtkWindow *window) {
    const GdkWindowState bound = GDK_WINDOW_STATE_MAXIMIZED | GDK_WINDOW_STATE_FULLSCREEN | GDK_WINDOW_STATE_ICONIFIED |
                                 GDK_WINDOW_STATE_WITHDRAWN | GDK_WINDOW_STATE_TILED;
    return gtk_widget_get_mapped(GTK_WIDGET(window)) && (state_of(window) & bound) == 0;
}

static struct parley_place place_of(GtkWindow *window) {
    struct parley_place at = {0};
    gtk_window_get_size(window, &at.width, &at.height);
    at.positioned = placeable(window);
    if (at.positioned)
        gtk_window_get_position(window, &at.x, &at.y);
    at.maximised = (state_of(window) & GDK_WINDOW_STATE_MAXIMIZED) != 0;
    at.free = is_free(window);
    at.scale = gtk_widget_get_scale_factor(GTK_WIDGET(window));
    return at;
}

static void note(void) {
    if (life.gtk != NULL && life.settling == 0 && gtk_widget_get_mapped(GTK_WIDGET(life.gtk)))
        parleyPlaced(life.window, place_of(life.gtk));
}

static gboolean on_still(gpointer data) {
    (void)data;
    life.still = 0;
    note();
    return G_SOURCE_REMOVE;
}

/* The place and the state come in any order, so neither is taken before both lie
 * still. */
static void on_moved(void) {
    if (life.still != 0)
        g_source_remove(life.still);
    life.still = g_timeout_add(calm, on_still, NULL);
}

/* What is maximised now is so by a person's or the manager's doing: it is left alone. */
static gboolean on_state(GtkWidget *widget, GdkEventWindowState *event, gpointer data) {
    (void)data;
    const GdkWindowState whole = GDK_WINDOW_STATE_MAXIMIZED | GDK_WINDOW_STATE_FULLSCREEN;
    if (life.settling != 0 && gtk_widget_get_mapped(widget) && (event->changed_mask & event->new_window_state & whole) != 0) {
        g_source_remove(life.settling);
        life.settling = 0;
    }
    on_moved();
    return FALSE;
}

static int resized(struct parley_place now) { return now.width != life.wanted.width || now.height != life.wanted.height; }

static int moved(struct parley_place now) {
    return now.positioned && life.wanted.positioned && (now.x != life.wanted.x || now.y != life.wanted.y);
}

/* The window is where it should be, or it is given up. */
static void settled(void) {
    life.settling = 0;
    if (life.wanted.maximised)
        gtk_window_maximize(life.gtk);
    on_moved();
}

/* Window managers put a window where they like when it is shown, some also when it was
 * told where to; so it is told again until it is there. */
static gboolean settle(gpointer data) {
    (void)data;
    const struct parley_place now = place_of(life.gtk);
    if (!now.free && life.waits-- > 0)
        return G_SOURCE_CONTINUE; /* it is not shown yet, or still as it was before */
    const int there = now.free && !resized(now) && !moved(now);
    if (there && ++life.found < firm)
        return G_SOURCE_CONTINUE;
    if (now.free && !there && life.left-- > 0) {
        life.found = 0;
        if (resized(now))
            gtk_window_resize(life.gtk, life.wanted.width, life.wanted.height);
        if (moved(now))
            gtk_window_move(life.gtk, life.wanted.x, life.wanted.y);
        return G_SOURCE_CONTINUE;
    }
    settled();
    return G_SOURCE_REMOVE;
}

static gboolean on_map(GtkWidget *widget, GdkEvent *event, gpointer data) {
    (void)widget, (void)event, (void)data;
    if (life.settling != 0 && life.wanted.positioned)
        gtk_window_move(life.gtk, life.wanted.x, life.wanted.y);
    return FALSE;
}

static gboolean on_configure(GtkWidget *widget, GdkEvent *event, gpointer data) {
    (void)widget, (void)event, (void)data;
    on_moved();
    return FALSE;
}

/* Wails bounds the size by the monitor that it starts on; another may be larger. A place
 * that a person chose is one that a manager keeps. */
static void hint(void) {
    GdkGeometry least = {.min_width = life.least_width, .min_height = life.least_height};
    gtk_window_set_geometry_hints(life.gtk, NULL, &least, GDK_HINT_MIN_SIZE | (life.wanted.positioned ? GDK_HINT_USER_POS : 0));
}

static void put(void) {
    life.wanted = parleyFit(life.window);
    hint();
    gtk_window_resize(life.gtk, life.wanted.width, life.wanted.height);
    if (life.wanted.positioned)
        gtk_window_move(life.gtk, life.wanted.x, life.wanted.y);
    life.waits = patience;
    life.left = tries;
    life.found = 0;
    if (life.settling == 0)
        life.settling = g_timeout_add(check, settle, NULL);
}

void parley_follow_place(uintptr_t window, GtkWindow *gtk, int least_width, int least_height) {
    life.window = window;
    life.gtk = gtk;
    life.least_width = least_width;
    life.least_height = least_height;
    hint();
    g_signal_connect(gtk, "configure-event", G_CALLBACK(on_configure), NULL);
    g_signal_connect(gtk, "window-state-event", G_CALLBACK(on_state), NULL);
    g_signal_connect(gtk, "map-event", G_CALLBACK(on_map), NULL);
    if (gtk_widget_get_visible(GTK_WIDGET(gtk)))
        put();
}

int parley_monitors(struct parley_area *areas, int most) {
    GdkDisplay *display = gdk_display_get_default();
    const int n = display == NULL ? 0 : gdk_display_get_n_monitors(display);
    int i;
    for (i = 0; i < n && i < most; i++) {
        GdkRectangle area;
        gdk_monitor_get_workarea(gdk_display_get_monitor(display, i), &area);
        areas[i] = (struct parley_area){area.x, area.y, area.width, area.height};
    }
    return i;
}

int parley_scale(void) {
    GdkDisplay *display = gdk_display_get_default();
    GdkMonitor *first = display == NULL ? NULL : gdk_display_get_monitor(display, 0);
    return first == NULL ? 0 : gdk_monitor_get_scale_factor(first);
}

/* With a window that moves its state may be still to come: what needs its place runs
 * when it lies still. */
static gboolean when_still(GSourceFunc then, gpointer data) {
    if (life.still != 0)
        g_timeout_add(calm, then, data);
    else
        then(data);
    return G_SOURCE_REMOVE;
}

static gboolean look_now(gpointer data) {
    note();
    parleyLooked((uintptr_t)data);
    return G_SOURCE_REMOVE;
}

static gboolean look(gpointer data) { return when_still(look_now, data); }

static gboolean hide_now(gpointer data) {
    (void)data;
    if (life.gtk == NULL)
        return G_SOURCE_REMOVE;
    note();
    if (life.settling != 0)
        g_source_remove(life.settling);
    life.settling = 0;
    gtk_widget_hide(GTK_WIDGET(life.gtk));
    return G_SOURCE_REMOVE;
}

static gboolean hide(gpointer data) { return when_still(hide_now, data); }

static gboolean show(gpointer data) {
    (void)data;
    if (life.gtk != NULL && !gtk_widget_get_visible(GTK_WIDGET(life.gtk))) {
        /* What it is maximised from would be forgotten otherwise. */
        gtk_window_deiconify(life.gtk);
        gtk_window_unmaximize(life.gtk);
        put();
    }
    if (life.gtk != NULL)
        gtk_window_present(life.gtk); /* also out of an icon */
    return G_SOURCE_REMOVE;
}

/* GTK is for the main loop's thread only. */
void parley_look(uintptr_t done) { g_idle_add(look, (gpointer)done); }

void parley_hide(void) { g_idle_add(hide, NULL); }

void parley_show(void) { g_idle_add(show, NULL); }
